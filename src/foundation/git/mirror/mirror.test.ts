import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { readPath } from '../../../../test/support/git/read-path.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { resolveCommit } from '../objects/objects.ts';
import { parseSource } from '../source/parse-source.ts';
import { deleteLeftovers } from './build-bare.ts';
import { cloneMirror, fetchMirror, type MirrorRequest } from './mirror.ts';

function newRepository(files: Record<string, string> = { 'a.txt': 'one\n' }): TestRepository {
  return createRepository(files);
}

function requestOf(folder: string, options: Partial<MirrorRequest> = {}): MirrorRequest {
  const data = temporaryFolder();
  return {
    source: parseSource(folder, { allowLocal: true, allowHosts: [] }),
    gitDir: join(data, 'git', 'r.git'),
    signal: new AbortController().signal,
    deps: { dataDir: data, allowHosts: [] },
    ...options,
  };
}

describe('cloneMirror', () => {
  it('creates a bare mirror of the default branch, reports progress, and leaves no other files', async () => {
    const repository = newRepository();
    repository.git('branch', 'other');
    const commit = repository.commit({ 'b.txt': 'two\n' });
    const phases = new Set<string>();
    const request = requestOf(repository.folder, { onProgress: ({ phase }) => phases.add(phase) });
    expect(await cloneMirror(request)).toEqual({ commit, branch: 'main', skippedBranches: {} });
    expect(await resolveCommit(request.gitDir, 'HEAD')).toBe(commit);
    expect(String(await readPath(request.gitDir, commit, 'b.txt', 10))).toBe('two\n');
    // Git may print several phases in one piece of output, of which the first is reported.
    expect(['preparing objects', 'receiving objects']).toContain([...phases][0]);
    expect(readdirSync(join(request.gitDir, '..'))).toEqual(['r.git']);
  });

  it('mirrors the requested branch, and names the existing ones if it is missing', async () => {
    const repository = newRepository();
    const commit = repository.git('rev-parse', 'HEAD');
    repository.git('branch', 'release/1.0');
    repository.commit({ 'a.txt': 'two\n' });
    const request = requestOf(repository.folder, { branch: 'release/1.0' });
    expect(await cloneMirror(request)).toEqual({ commit, branch: 'release/1.0', skippedBranches: {} });
    await expect(cloneMirror({ ...request, branch: 'absent' })).rejects.toMatchObject({
      reason: 'branch_not_found',
      retryable: false,
      message: expect.stringMatching(/no branch absent.*main, release\/1\.0/) as string,
    });
    expect(await resolveCommit(request.gitDir, 'HEAD')).toBe(commit);
  });

  it('is accessible only to this account, even in a public data folder', async () => {
    const repository = newRepository({ 'a/b.txt': 'one\n' });
    const request = requestOf(repository.folder);
    const data = request.deps.dataDir;
    chmodSync(data, 0o755);
    const before = process.umask(0o022);
    try {
      await cloneMirror({ ...request, gitDir: join(data, 'repositories', 'org', 'r.git') });
      repository.commit({ 'c.txt': 'two\n' });
      await fetchMirror({ ...request, gitDir: join(data, 'repositories', 'org', 'r.git') });
    } finally {
      process.umask(before);
    }
    const open = readdirSync(data, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => (statSync(path).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  it('replaces a former mirror', async () => {
    const request = requestOf(newRepository().folder);
    await cloneMirror(request);
    const other = newRepository({ 'c.txt': 'other\n' });
    const again = { ...request, source: parseSource(other.folder, { allowLocal: true, allowHosts: [] }) };
    const { commit } = await cloneMirror(again);
    expect(await resolveCommit(request.gitDir, 'HEAD')).toBe(commit);
    expect(readdirSync(join(request.gitDir, '..'))).toEqual(['r.git']);
  });

  it('mirrors a detached checkout, as build services create it', async () => {
    const repository = newRepository();
    const commit = repository.git('rev-parse', 'HEAD');
    repository.commit({ 'a.txt': 'two\n' });
    repository.git('checkout', '--quiet', commit);
    expect(await cloneMirror(requestOf(repository.folder))).toEqual({
      commit,
      branch: 'HEAD',
      skippedBranches: {},
    });
  });

  it('mirrors a shallow checkout and its later commits', async () => {
    const repository = newRepository();
    const tip = repository.commit({ 'a.txt': 'two\n' });
    const shallow = temporaryFolder();
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${repository.folder}`, shallow]);
    const request = requestOf(shallow);
    expect((await cloneMirror(request)).commit).toBe(tip);
    const next = repository.commit({ 'a.txt': 'three\n' });
    execFileSync('git', ['-C', shallow, 'fetch', '--quiet', '--depth=1']);
    execFileSync('git', ['-C', shallow, 'reset', '--quiet', '--hard', 'origin/main']);
    expect((await fetchMirror(request)).commit).toBe(next);
  });

  it.each(['is missing', 'is damaged', 'was left out by a partial clone'])(
    'mirrors the newest commits if a file of an old one %s, names it, and the others once it is repaired',
    async (fault) => {
      const repository = newRepository({ 'a.txt': 'old\n' });
      const old = repository.git('rev-parse', 'HEAD:a.txt');
      for (const text of ['two', 'three', 'four']) repository.commit({ 'a.txt': `${text}\n` });
      const object = join('.git', 'objects', old.slice(0, 2), old.slice(2));
      const whole = readFileSync(join(repository.folder, object));
      let folder = repository.folder;
      if (fault === 'is missing') rmSync(join(folder, object));
      if (fault === 'is damaged') {
        chmodSync(join(folder, object), 0o600);
        writeFileSync(join(folder, object), 'damaged');
      }
      if (fault === 'was left out by a partial clone') {
        folder = temporaryFolder();
        repository.git('config', 'uploadpack.allowFilter', 'true');
        const source = `file://${repository.folder}`;
        execFileSync('git', ['clone', '--quiet', '--filter=blob:none', source, folder]);
      }
      const request = requestOf(folder);
      const cloned = await cloneMirror(request);
      expect(cloned.commit).toBe(repository.git('rev-parse', 'HEAD'));
      const skipped = { [`commits_before_missing_object_${old.slice(0, 12)}`]: 1 };
      if (fault !== 'was left out by a partial clone') expect(cloned.skippedBranches).toEqual(skipped);
      expect(Object.keys(cloned.skippedBranches)).toHaveLength(1);
      expect(String(await readPath(request.gitDir, cloned.commit, 'a.txt', 10))).toBe('four\n');
      if (fault === 'was left out by a partial clone') return;
      const next = repository.commit({ 'b.txt': 'five\n' });
      expect(await fetchMirror(request)).toEqual({ commit: next, branch: 'main', skippedBranches: skipped });
      expect(await fetchMirror(request)).toMatchObject({ skippedBranches: skipped });
      writeFileSync(join(folder, object), whole);
      expect(await fetchMirror(request)).toEqual({ commit: next, branch: 'main', skippedBranches: {} });
      const first = repository.git('rev-list', '--max-parents=0', 'HEAD');
      expect(String(await readPath(request.gitDir, first, 'a.txt', 10))).toBe('old\n');
    },
  );

  it('mirrors the newest commits also if an old commit is missing, before or after the first copy', async () => {
    const repository = newRepository({ 'a.txt': 'old\n' });
    const [blob, commit] = [repository.git('rev-parse', 'HEAD:a.txt'), repository.git('rev-parse', 'HEAD')];
    for (let at = 0; at < 12; at++) repository.commit({ 'a.txt': `${at}\n` });
    const lose = (id: string): void =>
      rmSync(join(repository.folder, '.git', 'objects', id.slice(0, 2), id.slice(2)));
    lose(blob);
    const before = requestOf(repository.folder);
    const cloned = await cloneMirror(before);
    lose(commit);
    expect(await fetchMirror(before)).toEqual(cloned);
    const skippedBranches = { [`commits_before_missing_object_${commit.slice(0, 12)}`]: 1 };
    expect(await cloneMirror(requestOf(repository.folder))).toEqual({ ...cloned, skippedBranches });
  });

  it('keeps nothing of the attempts to mirror commits that the source lacks', async () => {
    const repository = newRepository({ 'a.txt': 'old\n' });
    const old = repository.git('rev-parse', 'HEAD:a.txt');
    // Packs with many objects are written before all of them are known.
    const files = Array.from({ length: 150 }, (_, at) => [
      `${at}.bin`,
      randomBytes(2_000).toString('base64'),
    ]);
    repository.commit({ 'a.txt': 'new\n', ...Object.fromEntries(files) });
    for (let at = 0; at < 12; at++) repository.commit({ 'a.txt': `${at}\n` });
    rmSync(join(repository.folder, '.git', 'objects', old.slice(0, 2), old.slice(2)));
    const limits = { maxBytes: 1_000_000, stallMs: 60_000, totalMs: 60_000 };
    const request = requestOf(repository.folder, { limits });
    expect(Object.keys((await cloneMirror(request)).skippedBranches)).toHaveLength(1);
    const packs = readdirSync(join(request.gitDir, 'objects', 'pack'));
    expect(packs.filter((name) => !name.startsWith('pack-'))).toEqual([]);
  });

  it('names an object of the newest commit that is missing', async () => {
    const repository = newRepository({ 'a.txt': 'one\n' });
    const blob = repository.git('rev-parse', 'HEAD:a.txt');
    rmSync(join(repository.folder, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
    await expect(cloneMirror(requestOf(repository.folder))).rejects.toMatchObject({
      reason: 'damaged',
      message: expect.stringContaining(blob) as string,
    });
  });

  it('mirrors a repository with SHA-256 object ids', async () => {
    const folder = temporaryFolder();
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        stdio: 'pipe',
      });
    git('init', '--quiet', '--object-format=sha256');
    git('commit', '--quiet', '--allow-empty', '--message=x');
    expect((await cloneMirror(requestOf(folder))).commit).toMatch(/^[\da-f]{64}$/);
  });

  it('reports a missing commit, repository or default branch', async () => {
    const empty = temporaryFolder();
    execFileSync('git', ['init', '--quiet', empty]);
    await expect(cloneMirror(requestOf(empty))).rejects.toMatchObject({ reason: 'empty' });
    await expect(cloneMirror(requestOf(temporaryFolder()))).rejects.toMatchObject({
      reason: 'not_found',
      message: expect.stringContaining('git init') as string,
    });
    const dangling = newRepository();
    dangling.git('symbolic-ref', 'HEAD', 'refs/heads/gone');
    await expect(cloneMirror(requestOf(dangling.folder))).rejects.toMatchObject({
      reason: 'branch_not_found',
      message: expect.stringContaining('It has main') as string,
    });
  });

  it("stops with the caller's reason and leaves no files", async () => {
    const reason = new Error('stop');
    const request = requestOf(newRepository().folder, { signal: AbortSignal.abort(reason) });
    await expect(cloneMirror(request)).rejects.toBe(reason);
    expect(readdirSync(join(request.gitDir, '..'))).toEqual([]);
  });
});

describe('fetchMirror', () => {
  it('fetches new commits, and only reads the refs if there are none', async () => {
    const repository = newRepository();
    const request = requestOf(repository.folder);
    await cloneMirror(request);
    const commit = repository.commit({ 'b.txt': 'two\n' });
    expect(await fetchMirror(request)).toEqual({ commit, branch: 'main', skippedBranches: {} });
    expect(await fetchMirror(request)).toEqual({ commit, branch: 'main', skippedBranches: {} });
    expect(await resolveCommit(request.gitDir, 'HEAD')).toBe(commit);
  });

  it('follows a force push and keeps the former commit readable', async () => {
    const repository = newRepository();
    const former = repository.commit({ 'a.txt': 'lost\n' });
    const request = requestOf(repository.folder);
    await cloneMirror(request);
    repository.git('reset', '--hard', '--quiet', 'HEAD~1');
    const commit = repository.commit({ 'a.txt': 'kept\n' });
    expect((await fetchMirror(request)).commit).toBe(commit);
    expect(String(await readPath(request.gitDir, former, 'a.txt', 10))).toBe('lost\n');
  });

  it('follows a renamed default branch, even to a name below the former one', async () => {
    const repository = newRepository();
    const request = requestOf(repository.folder);
    await cloneMirror(request);
    repository.git('branch', '-m', 'main', 'moved');
    repository.git('branch', '-m', 'moved', 'main/next');
    const commit = repository.commit({ 'a.txt': 'two\n' });
    expect(await fetchMirror(request)).toEqual({ commit, branch: 'main/next', skippedBranches: {} });
  });

  it('keeps the mirror unchanged when the source is gone', async () => {
    const repository = newRepository();
    const request = requestOf(repository.folder);
    const { commit } = await cloneMirror(request);
    rmSync(repository.folder, { recursive: true });
    await expect(fetchMirror(request)).rejects.toMatchObject({ reason: 'not_found' });
    expect(await resolveCommit(request.gitDir, 'HEAD')).toBe(commit);
  });

  it('keeps the number of packs small, and keeps commits that force pushes replaced', async () => {
    const repository = newRepository();
    const request = requestOf(repository.folder);
    const lost = repository.commit({ 'a.txt': 'lost\n' });
    await cloneMirror(request);
    repository.git('reset', '--hard', '--quiet', 'HEAD~1');
    for (let n = 0; n < 12; n += 1) {
      repository.commit({ 'a.txt': `${n}\n` });
      await fetchMirror(request);
    }
    const packs = readdirSync(join(request.gitDir, 'objects', 'pack')).filter((name) =>
      name.endsWith('.pack'),
    );
    expect(packs.length).toBeLessThan(10);
    expect(String(await readPath(request.gitDir, lost, 'a.txt', 10))).toBe('lost\n');
  });
});

describe('deleteLeftovers', () => {
  it('removes only old unfinished mirrors', async () => {
    const folder = temporaryFolder();
    for (const name of ['a.git', 'a.git.tmp-0011', 'b.git.tmp-2233'])
      mkdirSync(join(folder, name, 'objects'), { recursive: true });
    const longAgo = new Date(Date.now() - 48 * 3_600_000);
    for (const name of ['a.git', 'a.git.tmp-0011']) utimesSync(join(folder, name), longAgo, longAgo);
    await deleteLeftovers(folder);
    expect(readdirSync(folder)).toEqual(['a.git', 'b.git.tmp-2233']);
    await expect(deleteLeftovers(join(folder, 'absent'))).resolves.toBeUndefined();
  });
});
