import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloneMirror, type MirrorRequest } from '../../../src/foundation/git/mirror/mirror.ts';
import { openBlobReader } from '../../../src/foundation/git/objects/blob-reader.ts';
import {
  findPath,
  type ListedFile,
  listFolder,
  listTree,
} from '../../../src/foundation/git/objects/objects.ts';
import { parseSource } from '../../../src/foundation/git/source/parse-source.ts';
import {
  commitBomb,
  commitTree,
  type ForgedEntry,
  writeBlob,
  writeTree,
} from '../../support/git/forged-trees.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { readPath } from '../../support/git/read-path.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function newRepository(files: Record<string, string | Uint8Array> = { 'a.txt': 'one\n' }): TestRepository {
  return createRepository(files);
}

function requestOf({ folder }: TestRepository, options: Partial<MirrorRequest> = {}): MirrorRequest {
  const data = temporaryFolder();
  return {
    source: parseSource(folder, { allowLocal: true, allowHosts: [] }),
    gitDir: join(data, 'git', 'r.git'),
    signal: new AbortController().signal,
    deps: { dataDir: data, allowHosts: [] },
    ...options,
  };
}

async function treeOf(gitDir: string, commit: string): Promise<ListedFile[]> {
  const entries: ListedFile[] = [];
  for await (const entry of listTree(gitDir, commit)) entries.push(entry);
  return entries;
}

/** Runs Git with bytes on standard input, like the tools that create hostile repositories. */
function gitInput({ folder }: TestRepository, input: string | Uint8Array, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, input, encoding: 'utf8' }).trim();
}

describe('a hostile repository', () => {
  it('may contain links: they are never followed, and their text is read', async () => {
    const repository = newRepository();
    symlinkSync('/etc/passwd', join(repository.folder, 'link'));
    symlinkSync('../../..', join(repository.folder, 'up'));
    const commit = repository.commit({});
    const request = requestOf(repository);
    await cloneMirror(request);
    const link = (await treeOf(request.gitDir, commit)).find(({ path }) => path === 'link');
    expect(link).toMatchObject({ mode: '120000', type: 'blob', bytes: '/etc/passwd'.length });
    expect(String(await readPath(request.gitDir, commit, 'link', 1_000))).toBe('/etc/passwd');
    expect(await readPath(request.gitDir, commit, 'up/etc/passwd', 1_000)).toBeUndefined();
  });

  it('may contain submodules and LFS pointers: their hosts are never contacted', async () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;
    const repository = newRepository({
      '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ${origin}/sub.git\n`,
      '.lfsconfig': `[lfs]\n\turl = ${origin}/lfs\n`,
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'large.bin': pointer,
    });
    repository.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
    repository.git('commit', '--quiet', '--message=sub');
    const commit = repository.git('rev-parse', 'HEAD');
    const request = requestOf(repository);
    await cloneMirror(request);
    const sub = (await treeOf(request.gitDir, commit)).find(({ path }) => path === 'sub');
    expect(sub).toMatchObject({ mode: '160000', type: 'commit', bytes: 0 });
    await using reader = openBlobReader(request.gitDir);
    expect(await reader.read(sub?.oid ?? '', 1_000)).toBe('missing');
    expect(await readPath(request.gitDir, commit, 'sub', 1_000)).toBeUndefined();
    expect(String(await readPath(request.gitDir, commit, 'large.bin', 1_000))).toBe(pointer);
    expect(connections).toBe(0);
    listener.close();
  });

  it('may contain paths that are not UTF-8: each has a unique name by which it can be read', async () => {
    const repository = newRepository();
    const blob = gitInput(repository, 'bytes', 'hash-object', '-w', '--stdin');
    const lines = ['caf\xe9.txt', 'd\xff/x\n"y"', 'caf\\xE9.txt'].map(
      (path) => `100644 blob ${blob}\t${path}\0`,
    );
    repository.git('config', 'core.quotePath', 'false');
    gitInput(repository, Buffer.from(lines.join(''), 'latin1'), 'update-index', '-z', '--index-info');
    repository.git('commit', '--quiet', '--message=paths');
    const commit = repository.git('rev-parse', 'HEAD');
    const request = requestOf(repository);
    await cloneMirror(request);
    const paths = (await treeOf(request.gitDir, commit)).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(['a.txt', 'caf\\x5CxE9.txt', 'caf\\xE9.txt', 'd\\xFF/x\n"y"']);
    for (const path of paths.slice(1)) {
      expect(String(await readPath(request.gitDir, commit, path, 100))).toMatch(/bytes|one/);
    }
    const listed = await listFolder(request.gitDir, commit, 'd\\xFF');
    expect(listed?.map(({ path }) => path)).toEqual(['d\\xFF/x\n"y"']);
  });

  it('may contain entries called `..` and `.git`: they are marked, listed in no folder and never resolved', async () => {
    const repository = newRepository();
    const blob = writeBlob(repository, 'evil');
    const entries = ['..', '.git'].map((name): ForgedEntry => ['100644', name, blob]);
    commitTree(repository, writeTree(repository, entries));
    const request = requestOf(repository);
    const { commit } = await cloneMirror(request);
    const listed = await treeOf(request.gitDir, commit);
    expect(listed.map(({ path, unsafe }) => [path, unsafe])).toEqual([
      ['..', true],
      ['.git', true],
    ]);
    expect(await listFolder(request.gitDir, commit, '')).toEqual([]);
    expect(await findPath(request.gitDir, commit, '..')).toBeUndefined();
  });

  it('of a thousand million paths has a small mirror and a listing that ends at a limit', async () => {
    const repository = newRepository();
    commitBomb(repository);
    const request = requestOf(repository);
    const { commit } = await cloneMirror(request);
    await expect(treeOf(request.gitDir, commit)).rejects.toMatchObject({ code: 'too_many_files' });
  });

  it('may contain malformed old commits, like real histories, and is still mirrored', async () => {
    const repository = newRepository();
    const tree = repository.git('rev-parse', 'HEAD^{tree}');
    const raw = `tree ${tree}\nauthor No Address 1 +0000\ncommitter <x> 99999999999999999999 +051800\n\nold\n`;
    const commit = gitInput(repository, raw, 'hash-object', '-w', '--literally', '-t', 'commit', '--stdin');
    repository.git('update-ref', 'refs/heads/main', commit);
    expect((await cloneMirror(requestOf(repository))).commit).toBe(commit);
  });

  it('with a missing or broken object fails to clone: the error names it, and nothing is left', async () => {
    const repository = newRepository({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const oid = repository.git('rev-parse', 'HEAD:b.txt');
    const file = join(repository.folder, '.git', 'objects', oid.slice(0, 2), oid.slice(2));
    const request = requestOf(repository);
    const broken = {
      reason: 'damaged',
      retryable: false,
      message: expect.stringContaining('git fsck') as string,
    };
    chmodSync(file, 0o600);
    writeFileSync(file, 'broken');
    await expect(cloneMirror(request)).rejects.toMatchObject(broken);
    rmSync(file);
    await expect(cloneMirror(request)).rejects.toMatchObject(broken);
    expect(readdirSync(join(request.gitDir, '..'))).toEqual([]);
  });

  it('may contain hooks and configuration that would run programs: none runs', async () => {
    const repository = newRepository();
    const proof = join(repository.folder, 'proof');
    const script = join(repository.folder, 'run.sh');
    writeFileSync(script, `#!/bin/sh\ntouch '${proof}'\nexec "$@"\n`, { mode: 0o755 });
    for (const hook of ['post-checkout', 'reference-transaction', 'pre-auto-gc', 'post-index-change']) {
      writeFileSync(join(repository.folder, '.git', 'hooks', hook), `#!/bin/sh\ntouch '${proof}'\n`, {
        mode: 0o755,
      });
    }
    for (const key of ['uploadpack.packObjectsHook', 'core.fsmonitor', 'core.sshCommand', 'core.pager']) {
      repository.git('config', key, script);
    }
    expect((await cloneMirror(requestOf(repository))).branch).toBe('main');
    expect(existsSync(proof)).toBe(false);
  });
});

describe('a branch name that looks like an option', () => {
  it.each(['--upload-pack=touch PROOF', '-u', '--help', '../../etc'])(
    '%s is reported as a missing branch',
    async (name) => {
      const repository = newRepository();
      const proof = join(repository.folder, 'proof');
      const request = requestOf(repository, { branch: name.replace('PROOF', proof) });
      await expect(cloneMirror(request)).rejects.toMatchObject({ reason: 'branch_not_found' });
      expect(existsSync(proof)).toBe(false);
    },
  );
});

describe('the environment of the service', () => {
  it('is not passed to Git, whatever it contains', async () => {
    const repository = newRepository();
    const proof = join(repository.folder, 'proof');
    const variables = {
      GIT_DIR: '/nonexistent',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.hooksPath',
      GIT_CONFIG_VALUE_0: repository.folder,
      GIT_SSH_COMMAND: `touch ${proof}`,
      GIT_EXTERNAL_DIFF: `touch ${proof}`,
      GIT_TRACE: proof,
      GIT_ALLOW_PROTOCOL: 'ext',
      GIT_OBJECT_DIRECTORY: '/nonexistent',
      https_proxy: 'http://127.0.0.1:1',
    };
    const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
    Object.assign(process.env, variables);
    try {
      const request = requestOf(repository);
      const { commit } = await cloneMirror(request);
      expect(await treeOf(request.gitDir, commit)).toHaveLength(1);
      expect(existsSync(proof)).toBe(false);
    } finally {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });
});
