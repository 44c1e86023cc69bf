import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultMirrorLimits } from '../../../src/foundation/git/mirror/mirror-limits.ts';
import { compactContextRepository } from '../../../src/foundation/git/writing/compact-context-repository.ts';
import { ensureContextRepository } from '../../../src/foundation/git/writing/context-repository.ts';
import type { FileChange } from '../../../src/foundation/git/writing/write-commit.ts';
import { type GitServer, openGitServer } from '../../support/git/git-server.ts';
import { addCommit, hostRepository, land, push, write } from '../../support/mirror/context-writer.ts';

let root: GitServer['root'];
let server: GitServer['server'];
let remote: GitServer['remote'];
let open: GitServer['open'];
const start = {
  'README.md': 'of people',
  'tracker/a/1.md': 'one',
  'tracker/a/2.md': 'two',
  'tracker/b.md': 'bee',
};

beforeEach(async () => {
  ({ root, server, remote, open } = await openGitServer(start));
});
afterEach(() => server.close());

function inside(gitDir: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], GIT_NO_LAZY_FETCH: '1' };
  return execFileSync('git', ['--git-dir', gitDir, ...args], { encoding: 'utf8', env }).trim();
}

function absentBlobs(gitDir: string): number {
  const listed = inside(gitDir, 'rev-list', '--objects', '--missing=print', 'HEAD');
  return listed.split('\n').filter((line) => line.startsWith('?')).length;
}

describe('a commit on a branch', () => {
  it('has its author, time and message, and leaves other files unchanged', async () => {
    const { commit } = await land(open(), { 'tracker/a/1.md': 'new', 'oncall/incidents/3.md': 'three' });
    expect(remote.git('rev-parse', 'main')).toBe(commit);
    expect(remote.files()).toEqual({ ...start, 'tracker/a/1.md': 'new', 'oncall/incidents/3.md': 'three' });
    expect(remote.git('log', '-1', '--format=%an %ae %cn %at|%B', 'main')).toBe(
      'Context context@example.com Context 1795219200|Mirror a change\n\nOrigin: test',
    );
    expect(remote.git('log', '-1', '--format=%(trailers:key=Origin,valueonly)', 'main')).toBe('test');
    expect(remote.git('ls-tree', 'main', 'oncall/incidents/3.md')).toMatch(/^100644 /);
    remote.git('fsck', '--strict');
  });

  it('keeps every byte and every valid file name', async () => {
    const names = {
      "tracker/größe (x) 'y'.md": 'a',
      'tracker/日本/🙂.md': 'b\n\n',
      'tracker/-x': 'done\n',
    };
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const request = open();
    const { tip } = await ensureContextRepository(request);
    async function* changes(): AsyncGenerator<FileChange> {
      for (const [path, text] of Object.entries(names)) yield { path, content: Buffer.from(text) };
      yield { path: 'tracker/all.bin', content: bytes };
      yield { path: 'tracker/empty', content: new Uint8Array(0) };
      yield { path: 'tracker/large.bin', content: Buffer.alloc(1_000_000, 'x') };
    }
    const { commit = '' } = await write(request, tip, changes());
    await push(request, commit);
    for (const [path, text] of Object.entries(names)) {
      expect(execFileSync('git', ['--git-dir', remote.gitDir, 'cat-file', 'blob', `main:${path}`])).toEqual(
        Buffer.from(text),
      );
    }
    const read = execFileSync('git', [
      '--git-dir',
      remote.gitDir,
      'cat-file',
      'blob',
      'main:tracker/all.bin',
    ]);
    expect(read).toEqual(bytes);
    expect(remote.git('cat-file', '-s', 'main:tracker/empty')).toBe('0');
    expect(remote.git('cat-file', '-s', 'main:tracker/large.bin')).toBe('1000000');
  });

  it('deletes files, and ignores paths that do not exist or are folders', async () => {
    await land(open(), {
      'tracker/b.md': null,
      'tracker/a/absent.md': null,
      'tracker/absent/x.md': null,
      'tracker/a': null,
      'tracker/a/1.md/below.md': null,
    });
    const { 'tracker/b.md': _gone, ...rest } = start;
    expect(remote.files()).toEqual(rest);
  });

  it('contains the last change of each path', async () => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    async function* changes(): AsyncGenerator<FileChange> {
      yield { path: 'tracker/b.md', content: null };
      yield { path: 'tracker/b.md', content: Buffer.from('first') };
      yield { path: 'tracker/b.md', content: Buffer.from('last') };
      yield { path: 'tracker/a/1.md', content: Buffer.from('written') };
      yield { path: 'tracker/a/1.md', content: null };
    }
    const { commit = '' } = await write(request, tip, changes());
    await push(request, commit);
    const { 'tracker/a/1.md': _gone, ...rest } = start;
    expect(remote.files()).toEqual({ ...rest, 'tracker/b.md': 'last' });
  });

  it.each([
    ['written first', { 'tracker/b.md/deep/x.md': 'x', 'tracker/b.md': null }],
    ['deleted first', { 'tracker/b.md': null, 'tracker/b.md/deep/x.md': 'x' }],
  ])('replaces a file by a folder: %s', async (_order, changes) => {
    await land(open(), changes);
    const { 'tracker/b.md': _file, ...rest } = start;
    expect(remote.files()).toEqual({ ...rest, 'tracker/b.md/deep/x.md': 'x' });
  });

  it.each([
    ['written first', { 'tracker/a': 'x', 'tracker/a/1.md': null, 'tracker/a/2.md': null }],
    ['deleted first', { 'tracker/a/1.md': null, 'tracker/a/2.md': null, 'tracker/a': 'x' }],
    ['not deleted', { 'tracker/a': 'x' }],
  ])('replaces a folder by a file: %s', async (_order, changes) => {
    await land(open(), changes);
    expect(remote.files()).toEqual({ 'README.md': 'of people', 'tracker/a': 'x', 'tracker/b.md': 'bee' });
  });

  it('is refused when a file and a folder have the same name, and then writes nothing', async () => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    for (const changes of [
      { 'tracker/x': '1', 'tracker/x/y': '2' },
      { 'tracker/x/y/z': '1', 'tracker/x': '2' },
    ]) {
      await expect(write(request, tip, changes)).rejects.toThrow(/a file and a folder/);
    }
    expect(inside(request.gitDir, 'for-each-ref', 'refs/orgctx/staging')).toBe('');
  });

  it('is refused when two file names differ only in case, but may change the case of one', async () => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    for (const changes of [
      { 'tracker/Straße.md': '1', 'tracker/STRAßE.md': '2' },
      { 'tracker/x/a.md': '1', 'tracker/X/a.md': '2' },
      { 'tracker/X': '1', 'tracker/x/y': '2' },
    ]) {
      await expect(write(request, tip, changes)).rejects.toThrow(/in the same commit/);
    }
    expect(inside(request.gitDir, 'for-each-ref', 'refs/orgctx/staging')).toBe('');
    await land(request, { 'tracker/b.md': null, 'tracker/B.md': 'Bee' });
    expect(remote.files()['tracker/B.md']).toBe('Bee');
  });

  it('is not created when nothing changes', async () => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    for (const changes of [{}, { 'tracker/b.md': 'bee' }, { 'tracker/nothing': null }]) {
      expect(await write(request, tip, changes)).toEqual({ changed: false, commit: tip });
    }
    expect(inside(request.gitDir, 'for-each-ref', '--format=%(refname)')).toBe('refs/orgctx/source');
  });
});

describe('a branch that does not exist yet', () => {
  it.each(['sha1', 'sha256'] as const)(
    'is created by the first commit in an empty %s repository',
    async (format) => {
      const empty = hostRepository(root, `owner/empty-${format}.git`, {}, format);
      const request = open({}, `owner/empty-${format}.git`);
      expect(await ensureContextRepository(request)).toEqual({ tip: undefined });
      expect(await write(request, undefined, { 'tracker/a': null })).toEqual({
        changed: false,
        commit: undefined,
      });
      const { commit } = await land(request, { 'tracker/a.md': 'a' });
      expect(commit).toHaveLength(format === 'sha1' ? 40 : 64);
      expect((await ensureContextRepository(request)).tip).toBe(commit);
      await land(request, { 'tracker/b.md': 'b' });
      expect(empty.files()).toEqual({ 'tracker/a.md': 'a', 'tracker/b.md': 'b' });
      expect(empty.git('rev-list', '--count', 'main')).toBe('2');
    },
  );

  it('is created next to the existing branches', async () => {
    const request = open({ branch: 'context/mirror' });
    expect(await ensureContextRepository(request)).toEqual({ tip: undefined });
    await land(request, { 'tracker/a.md': 'a' });
    expect(remote.files('context/mirror')).toEqual({ 'tracker/a.md': 'a' });
    expect(remote.files()).toEqual(start);
  });

  it('may be one that was deleted in the meantime', async () => {
    remote.git('branch', 'other', 'main');
    const request = open({ branch: 'other' });
    expect((await ensureContextRepository(request)).tip).toBe(remote.git('rev-parse', 'main'));
    remote.git('branch', '-D', 'other');
    expect(await ensureContextRepository(request)).toEqual({ tip: undefined });
    expect(await ensureContextRepository(request)).toEqual({ tip: undefined });
  });
});

describe('a concurrent push', () => {
  it('between fetch and push is kept, and the commit is created again on top of it', async () => {
    server.beforePush = () => addCommit(remote.gitDir, { 'tracker/a/2.md': 'theirs', 'notes.md': 'n' });
    expect((await land(open(), { 'tracker/b.md': 'ours' })).refusals).toBe(1);
    expect(remote.files()).toEqual({
      ...start,
      'tracker/a/2.md': 'theirs',
      'notes.md': 'n',
      'tracker/b.md': 'ours',
    });
    expect(remote.git('log', '--format=%s', 'main').split('\n')).toEqual([
      'Mirror a change',
      'By somebody else',
      'By somebody else',
    ]);
  });

  it('during our push is kept too', async () => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    const other = addCommit(remote.gitDir, { x: 'x' });
    remote.git('update-ref', 'refs/heads/main', tip ?? '');
    server.behaviour = { kind: 'overtake', ref: 'refs/heads/main', commit: other };
    const { commit = '' } = await write(request, tip, { 'tracker/b.md': 'ours' });
    expect(await push(request, commit)).toBe('rejected');
    expect(remote.git('rev-parse', 'main')).toBe(other);
  });

  it('that rewrites the branch is kept: the next commit is based on it', async () => {
    const request = open();
    await land(request, { 'tracker/b.md': 'ours' });
    remote.git('update-ref', 'refs/heads/main', 'main~1');
    const { commit } = await land(request, { 'tracker/c.md': 'c' });
    expect(remote.git('rev-parse', 'main')).toBe(commit);
    expect(remote.files()).toEqual({ ...start, 'tracker/c.md': 'c' });
  });

  it('of the same commit causes no error: the commit counts as pushed', async () => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    const { commit = '' } = await write(request, tip, { 'tracker/b.md': 'ours' });
    expect(await push(request, commit)).toBe('pushed');
    expect(await push(request, commit)).toBe('pushed');
  });
});

describe('the local copy', () => {
  it('contains no file content but what was written here, after import, push, refusal and import', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`tracker/f${n % 7}/${n}.md`, `${n}`]),
    );
    addCommit(remote.gitDir, files);
    const request = open();
    await land(request, { 'tracker/f0/0.md': 'new' });
    server.beforePush = () => addCommit(remote.gitDir, { 'tracker/f1/1.md': 'theirs' });
    await land(request, { 'tracker/f2/2.md': 'newer' });
    for (let n = 0; n < 4; n += 1) await land(request, { 'tracker/f3/3.md': `${n}` });
    expect(absentBlobs(request.gitDir)).toBeGreaterThanOrEqual(500);
    await compactContextRepository(request.gitDir, request.signal);
    expect(absentBlobs(request.gitDir)).toBeGreaterThanOrEqual(500);
    expect(remote.files()).toEqual({
      ...start,
      ...files,
      'tracker/f0/0.md': 'new',
      'tracker/f1/1.md': 'theirs',
      'tracker/f2/2.md': 'newer',
      'tracker/f3/3.md': '3',
    });
  });

  it('has neither its source nor a credential in its configuration', async () => {
    const request = open();
    await ensureContextRepository(request);
    const config = readFileSync(join(request.gitDir, 'config'), 'utf8');
    expect(config).toContain('bare = true');
    expect(config).not.toMatch(/127\.0\.0\.1|url|remote|promisor|credential/i);
  });

  it('is transferred once: what was pushed from here is not fetched again', async () => {
    const request = open();
    await land(request, { 'tracker/b.md': 'ours' });
    const packs = readdirSync(join(request.gitDir, 'objects', 'pack'));
    await ensureContextRepository(request);
    expect(readdirSync(join(request.gitDir, 'objects', 'pack'))).toEqual(packs);
    expect(inside(request.gitDir, 'for-each-ref', '--format=%(refname)')).toBe('refs/orgctx/source');
  });

  /** The pack that came from the source. */
  const packOf = (gitDir: string): string => {
    const folder = join(gitDir, 'objects', 'pack');
    const mark = readdirSync(folder).find((name) => name.endsWith('.promisor')) ?? '';
    return join(folder, mark.replace(/promisor$/, 'pack'));
  };

  it.each<[string, (gitDir: string) => void]>([
    ['has lost its HEAD', (gitDir) => rmSync(join(gitDir, 'HEAD'))],
    ['has lost its objects', (gitDir) => rmSync(join(gitDir, 'objects'), { recursive: true })],
    ['has half a pack', (gitDir) => truncateSync(packOf(gitDir), 100)],
    ['has half a ref', (gitDir) => writeFileSync(join(gitDir, 'refs/orgctx/source'), 'abc')],
    ['is locked by one who is gone', (gitDir) => writeFileSync(join(gitDir, 'refs/orgctx/source.lock'), '')],
    ['has half a configuration', (gitDir) => writeFileSync(join(gitDir, 'config'), '[core')],
    ['has no mark', (gitDir) => rmSync(join(gitDir, 'orgctx-copy.json'))],
  ])('is recreated when it %s', async (_title, damage) => {
    const request = open();
    await land(request, { 'tracker/b.md': 'before' });
    const theirs = addCommit(remote.gitDir, { 'tracker/a/1.md': 'theirs' });
    damage(request.gitDir);
    // An error that only writing detects costs one attempt: the copy is discarded, and the next one is complete.
    await land(request, { 'tracker/b.md': 'after' }).catch((error: unknown) => {
      expect(error).toMatchObject({ reason: 'torn', retryable: true });
      return land(request, { 'tracker/b.md': 'after' });
    });
    expect(remote.files()).toEqual({ ...start, 'tracker/a/1.md': 'theirs', 'tracker/b.md': 'after' });
    expect(remote.git('rev-parse', 'main~1')).toBe(theirs);
    expect(readdirSync(join(request.gitDir, '..'))).toEqual(['c.git']);
  });

  it('is discarded by the commit that finds a folder of it missing, and recreated for the next one', async () => {
    const request = open();
    const { commit: tip } = await land(request, { 'tracker/b.md': 'before' });
    rmSync(packOf(request.gitDir));
    await expect(write(request, tip, { 'tracker/a/1.md': 'after' })).rejects.toMatchObject({
      reason: 'torn',
      retryable: true,
    });
    expect(existsSync(join(request.gitDir, 'orgctx-copy.json'))).toBe(false);
    expect((await land(request, { 'tracker/a/1.md': 'after' })).refusals).toBe(0);
    expect(remote.files()).toEqual({ ...start, 'tracker/a/1.md': 'after', 'tracker/b.md': 'before' });
  });

  it('is recreated when it has grown too large, and discarded when a new one is too large as well', async () => {
    const request = open();
    await land(request, { 'tracker/large.bin': randomBytes(200_000).toString('hex') });
    const within = (maxBytes: number) =>
      ensureContextRepository({ ...request, limits: { ...defaultMirrorLimits, maxBytes } });
    expect(await within(2_000_000)).toEqual({ tip: remote.git('rev-parse', 'main') });
    expect(absentBlobs(request.gitDir)).toBe(4);
    expect(await within(150_000)).toEqual({ tip: remote.git('rev-parse', 'main') });
    expect(absentBlobs(request.gitDir)).toBe(5);
    await expect(within(1_000)).rejects.toMatchObject({ reason: 'too_large', retryable: false });
    await land(request, { 'tracker/b.md': 'after' });
    expect(remote.files()['tracker/b.md']).toBe('after');
  });

  it('is recreated when its source, branch or hash differs', async () => {
    const request = open();
    const { tip: former = '' } = await ensureContextRepository(request);
    remote.git('branch', 'second', 'main');
    const second = { ...request, branch: 'second' };
    inside(request.gitDir, 'update-ref', 'refs/orgctx/staging/7', former);
    expect((await ensureContextRepository(second)).tip).toBe(former);
    expect(inside(request.gitDir, 'for-each-ref', 'refs/orgctx/staging')).toBe('');
    hostRepository(root, 'owner/other.git', { 'tracker/o.md': 'o' }, 'sha256');
    const other = { ...request, source: open({}, 'owner/other.git').source };
    const { tip } = await ensureContextRepository(other);
    expect(tip).toHaveLength(64);
    rmSync(join(root, 'owner/other.git'), { recursive: true });
    const sha1 = hostRepository(root, 'owner/other.git', { 'tracker/p.md': 'p' });
    expect((await ensureContextRepository(other)).tip).toBe(sha1.git('rev-parse', 'main'));
  });

  it('is not confused with a repository that contains its folder', async () => {
    const request = open();
    await ensureContextRepository(request);
    const around = join(request.gitDir, '..');
    execFileSync('git', ['init', '--quiet', '--bare', around]);
    rmSync(join(request.gitDir, 'HEAD'));
    await ensureContextRepository(request);
    expect(inside(around, 'for-each-ref')).toBe('');
    expect(existsSync(join(request.gitDir, 'HEAD'))).toBe(true);
  });
});

describe('maintenance of the local copy', () => {
  it('removes files that are an hour old and nothing that may be in use', async () => {
    const request = open();
    const { tip } = await ensureContextRepository(request);
    const { gitDir } = request;
    await write(request, tip, { 'tracker/old.md': 'never pushed' });
    const [staged = ''] = readdirSync(join(gitDir, 'refs/orgctx/staging'));
    const names = ['objects/pack/tmp_pack_1', 'refs/orgctx/source.lock', 'fast_import_crash_1'];
    for (const name of names) for (const age of ['', '-x']) writeFileSync(join(gitDir, `${name}${age}`), '');
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const name of ['objects/pack/tmp_pack_1', 'fast_import_crash_1', `refs/orgctx/staging/${staged}`])
      utimesSync(join(gitDir, name), longAgo, longAgo);
    await compactContextRepository(gitDir, request.signal);
    const left = [...names, `refs/orgctx/staging/${staged}`].filter((name) => existsSync(join(gitDir, name)));
    expect(left).toEqual(['refs/orgctx/source.lock']);
    expect((await ensureContextRepository(request)).tip).toBe(tip);
  });

  it('keeps the number of packs small and the copy writable', async () => {
    const request = open();
    let { tip } = await ensureContextRepository(request);
    for (let n = 0; n < 60; n += 1) {
      tip = (await write(request, tip, { [`tracker/n/${n}.md`]: `${n}` })).commit;
    }
    const packs = () =>
      readdirSync(join(request.gitDir, 'objects/pack')).filter((name) => name.endsWith('.pack')).length;
    expect(packs()).toBeGreaterThan(50);
    await compactContextRepository(request.gitDir, request.signal);
    expect(packs()).toBeLessThan(10);
    expect(await push(request, tip ?? '')).toBe('pushed');
    addCommit(remote.gitDir, { 'tracker/theirs.md': 't' });
    await land(request, { 'tracker/n/1.md': 'again' });
    expect(Object.keys(remote.files())).toHaveLength(4 + 60 + 1);
    remote.git('fsck', '--strict');
  });
});
