import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGitHttpServer } from '../../../../test/standins/git-http-server.ts';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { readPath } from '../../../../test/support/git/read-path.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { parseSource } from '../source/parse-source.ts';
import { cloneMirror, fetchMirror, type MirrorRequest } from './mirror.ts';
import { mirroredBranches } from './mirrored-branches.ts';

function requestOf(source: string, branches: readonly string[], branch?: string): MirrorRequest {
  const data = temporaryFolder();
  const allowHosts = source.startsWith('http') ? [new URL(source).host] : [];
  return {
    source: parseSource(source, { allowLocal: true, allowHosts }),
    branches,
    ...(branch === undefined ? {} : { branch }),
    gitDir: join(data, 'git', 'r.git'),
    signal: new AbortController().signal,
    deps: { dataDir: data, allowHosts },
  };
}

/** Creates a repository with these branches besides `main`, each with its own commit. */
function repositoryWith(branches: readonly string[]): TestRepository & { tip(branch: string): string } {
  const repository = createRepository({ 'a.txt': 'main\n' });
  for (const branch of branches) {
    repository.git('checkout', '--quiet', '-b', branch, 'main');
    repository.commit({ 'a.txt': `${branch}\n` });
  }
  repository.git('checkout', '--quiet', 'main');
  return { ...repository, tip: (branch) => repository.git('rev-parse', `refs/heads/${branch}`) };
}

async function namesIn(request: MirrorRequest): Promise<string[]> {
  return (await mirroredBranches(request.gitDir)).map(({ name }) => name);
}

/** Creates a branch whose name is not UTF-8, at `main`. */
function branchOfBytes(repository: TestRepository, byte: number): void {
  const heads = Buffer.from(join(repository.folder, '.git/refs/heads/'));
  writeFileSync(Buffer.concat([heads, Buffer.of(byte)]), `${repository.git('rev-parse', 'main')}\n`);
}

describe('branches whose name is not UTF-8', () => {
  it('are counted and skipped, and the others are mirrored and updated', async () => {
    const repository = repositoryWith(['dev']);
    for (const byte of [0xff, 0xfe]) branchOfBytes(repository, byte);
    const request = requestOf(repository.folder, ['*']);
    const skipped = { skippedBranches: { unsafe_branch_name: 2 } };
    expect(await cloneMirror(request)).toMatchObject(skipped);
    const commit = repository.commit({ 'a.txt': 'two\n' });
    expect(await fetchMirror(request)).toMatchObject({ commit, ...skipped });
    expect(await namesIn(request)).toEqual(['main', 'dev']);
  });

  it('are mirrored without their name if they are the default branch', async () => {
    const repository = repositoryWith(['dev']);
    branchOfBytes(repository, 0xff);
    writeFileSync(join(repository.folder, '.git/HEAD'), Buffer.from('ref: refs/heads/\xff\n', 'latin1'));
    const request = requestOf(repository.folder, ['dev']);
    const commit = repository.tip('main');
    expect(await cloneMirror(request)).toMatchObject({ branch: 'HEAD', commit });
    expect(await namesIn(request)).toEqual(['HEAD', 'dev']);
  });
});

describe('the branches of a mirror', () => {
  it('are only the default branch unless others are requested', async () => {
    const repository = repositoryWith(['dev']);
    const request = requestOf(repository.folder, []);
    await cloneMirror(request);
    expect(await mirroredBranches(request.gitDir)).toEqual([
      { name: 'main', commit: repository.tip('main') },
    ]);
  });

  it('are those that match the names and patterns, the default branch first', async () => {
    const repository = repositoryWith(['dev', 'release/1.0', 'release/2.0', 'wip']);
    const request = requestOf(repository.folder, ['release/*', 'dev', 'main']);
    expect(await cloneMirror(request)).toMatchObject({ branch: 'main', skippedBranches: {} });
    expect(await mirroredBranches(request.gitDir)).toEqual(
      ['main', 'dev', 'release/1.0', 'release/2.0'].map((name) => ({ name, commit: repository.tip(name) })),
    );
    const file = await readPath(request.gitDir, repository.tip('release/1.0'), 'a.txt', 100);
    expect(String(file)).toBe('release/1.0\n');
  });

  it('follow a force push and keep the former commit readable', async () => {
    const repository = repositoryWith(['dev']);
    const former = repository.tip('dev');
    const request = requestOf(repository.folder, ['dev']);
    await cloneMirror(request);
    repository.git('checkout', '--quiet', '-B', 'dev', 'main');
    const commit = repository.commit({ 'b.txt': 'rewritten\n' });
    await fetchMirror(request);
    expect(await mirroredBranches(request.gitDir)).toContainEqual({ name: 'dev', commit });
    expect(String(await readPath(request.gitDir, former, 'a.txt', 100))).toBe('dev\n');
  });

  it('are removed from the mirror when they are deleted, even if nothing else changed', async () => {
    const repository = repositoryWith(['dev', 'wip']);
    const request = requestOf(repository.folder, ['dev', 'wip']);
    await cloneMirror(request);
    repository.git('branch', '-D', 'wip');
    expect((await fetchMirror(request)).skippedBranches).toEqual({ branch_not_found: 1 });
    expect(await namesIn(request)).toEqual(['main', 'dev']);
  });

  it('follow a rename, even if the former name is a folder of the new one', async () => {
    const repository = repositoryWith(['wip']);
    const request = requestOf(repository.folder, ['*']);
    await cloneMirror(request);
    repository.git('branch', '-m', 'wip', 'other');
    repository.git('branch', '-m', 'other', 'wip/1');
    await fetchMirror(request);
    expect(await namesIn(request)).toEqual(['main', 'wip/1']);
    repository.git('branch', '-m', 'wip/1', 'other');
    repository.git('branch', '-m', 'other', 'wip');
    await fetchMirror(request);
    expect(await namesIn(request)).toEqual(['main', 'wip']);
  });

  it('follow a change of the default branch, which is then not a further branch', async () => {
    const repository = repositoryWith(['dev']);
    const request = requestOf(repository.folder, ['*']);
    await cloneMirror(request);
    repository.git('checkout', '--quiet', 'dev');
    await fetchMirror(request);
    expect(await mirroredBranches(request.gitDir)).toEqual([
      { name: 'dev', commit: repository.tip('dev') },
      { name: 'main', commit: repository.tip('main') },
    ]);
  });

  it('follow a rename of the default branch at the same commit', async () => {
    const repository = repositoryWith([]);
    const request = requestOf(repository.folder, []);
    await cloneMirror(request);
    repository.git('branch', '-m', 'main', 'trunk');
    await fetchMirror(request);
    expect(await namesIn(request)).toEqual(['trunk']);
  });

  it('are at most 64, the highest numbers first, with the rest counted', async () => {
    const repository = repositoryWith([]);
    const names = Array.from({ length: 70 }, (_, n) => `release/${n + 1}`);
    for (const name of names) repository.git('branch', name);
    repository.git('branch', 'zeta');
    const request = requestOf(repository.folder, ['zeta', '*', 'absent', 'gone']);
    const { skippedBranches } = await cloneMirror(request);
    expect(skippedBranches).toEqual({ branch_over_limit: 8, branch_not_found: 2 });
    const held = await namesIn(request);
    expect(held).toHaveLength(64);
    expect(held).toEqual(expect.arrayContaining(['main', 'zeta', 'release/70', 'release/9']));
    expect(held).not.toContain('release/8');
  });

  it('are fetched over HTTP, even if one is deleted meanwhile', async () => {
    const root = temporaryFolder();
    const repository = repositoryWith(['dev', 'wip']);
    const bare = join(root, 'r.git');
    execFileSync('git', ['clone', '--quiet', '--bare', repository.folder, bare]);
    const server = await startGitHttpServer({ root });
    onTestFinished(() => server.close());
    let greetings = 0;
    server.requests.push = (...lines) => {
      const greets = lines[0]?.includes('/info/refs') === true;
      // The first request lists the refs, the second starts the fetch.
      if (greets && ++greetings === 2) execFileSync('git', ['-C', bare, 'branch', '-D', 'wip']);
      return greetings;
    };
    const request = requestOf(`${server.origin}/r.git`, ['dev', 'wip']);
    expect((await cloneMirror(request)).skippedBranches).toEqual({ branch_not_found: 1 });
    expect(greetings).toBeGreaterThan(2);
    expect(await namesIn(request)).toEqual(['main', 'dev']);
  });

  it('are fetched even if a killed fetch left its locks', async () => {
    const repository = repositoryWith(['dev']);
    const request = requestOf(repository.folder, ['dev']);
    await cloneMirror(request);
    const locks = ['config.lock', 'refs/orgctx/source.lock', 'refs/orgctx/branches/dev.lock'];
    for (const lock of locks) writeFileSync(join(request.gitDir, lock), '');
    repository.git('branch', '-m', 'main', 'trunk');
    repository.commit({ 'c.txt': 'more\n' });
    repository.git('branch', '-f', 'dev', 'trunk');
    await fetchMirror(request);
    expect(await namesIn(request)).toEqual(['trunk', 'dev']);
    for (const lock of locks) expect(existsSync(join(request.gitDir, lock))).toBe(false);
  });

  it('are unchanged when the source is gone', async () => {
    const repository = repositoryWith(['dev']);
    const request = requestOf(repository.folder, ['dev']);
    await cloneMirror(request);
    await expect(
      fetchMirror({
        ...request,
        source: parseSource(temporaryFolder(), { allowLocal: true, allowHosts: [] }),
      }),
    ).rejects.toMatchObject({ reason: 'not_found' });
    expect(await namesIn(request)).toEqual(['main', 'dev']);
  });

  it('cannot be read from a mirror that lost its default branch', async () => {
    const repository = repositoryWith([]);
    const request = requestOf(repository.folder, []);
    await cloneMirror(request);
    execFileSync('git', ['--git-dir', request.gitDir, 'update-ref', '-d', 'refs/orgctx/source']);
    await expect(mirroredBranches(request.gitDir)).rejects.toMatchObject({ reason: 'damaged' });
    await fetchMirror(request);
    expect(await namesIn(request)).toEqual(['main']);
    expect(readdirSync(join(request.gitDir, '..'))).toEqual(['r.git']);
  });
});
