import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository, type TestRepository } from '../../../test/support/git-repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { sweepLeftovers } from './build-bare.ts';
import { cloneMirror, fetchMirror, type MirrorRequest } from './mirror.ts';
import { readPath, resolveCommit } from './objects.ts';
import { parseSource } from './parse-source.ts';

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
  it('makes a bare mirror of the default branch, with progress, and leaves nothing beside it', async () => {
    const repository = newRepository();
    repository.git('branch', 'other');
    const commit = repository.commit({ 'b.txt': 'two\n' });
    const phases = new Set<string>();
    const request = requestOf(repository.folder, { onProgress: ({ phase }) => phases.add(phase) });
    expect(await cloneMirror(request)).toEqual({ commit, branch: 'main', leftOut: {} });
    expect(await resolveCommit(request.gitDir, 'HEAD')).toBe(commit);
    expect(String(await readPath(request.gitDir, commit, 'b.txt', 10))).toBe('two\n');
    expect([...phases]).toContain('receiving objects');
    expect(readdirSync(join(request.gitDir, '..'))).toEqual(['r.git']);
  });

  it('mirrors the branch it is told, and names those there are when it is missing', async () => {
    const repository = newRepository();
    const commit = repository.git('rev-parse', 'HEAD');
    repository.git('branch', 'release/1.0');
    repository.commit({ 'a.txt': 'two\n' });
    const request = requestOf(repository.folder, { branch: 'release/1.0' });
    expect(await cloneMirror(request)).toEqual({ commit, branch: 'release/1.0', leftOut: {} });
    await expect(cloneMirror({ ...request, branch: 'absent' })).rejects.toMatchObject({
      reason: 'branch_not_found',
      retryable: false,
      message: expect.stringMatching(/no branch absent.*main, release\/1\.0/) as string,
    });
    expect(await resolveCommit(request.gitDir, 'HEAD')).toBe(commit);
  });

  it('is for this account alone, although everyone may enter the data folder', async () => {
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

  it('follows a checkout of no branch, as build services make them', async () => {
    const repository = newRepository();
    const commit = repository.git('rev-parse', 'HEAD');
    repository.commit({ 'a.txt': 'two\n' });
    repository.git('checkout', '--quiet', commit);
    expect(await cloneMirror(requestOf(repository.folder))).toEqual({ commit, branch: 'HEAD', leftOut: {} });
  });

  it('takes a shallow checkout and its later commits', async () => {
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

  it('takes a repository with SHA-256 object names', async () => {
    const folder = temporaryFolder();
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        stdio: 'pipe',
      });
    git('init', '--quiet', '--object-format=sha256');
    git('commit', '--quiet', '--allow-empty', '--message=x');
    expect((await cloneMirror(requestOf(folder))).commit).toMatch(/^[\da-f]{64}$/);
  });

  it('says so when there is no commit, no repository, or no default branch', async () => {
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

  it('stops with the reason of the caller and leaves nothing', async () => {
    const reason = new Error('stop');
    const request = requestOf(newRepository().folder, { signal: AbortSignal.abort(reason) });
    await expect(cloneMirror(request)).rejects.toBe(reason);
    expect(readdirSync(join(request.gitDir, '..'))).toEqual([]);
  });
});

describe('fetchMirror', () => {
  it('brings what is new, and only looks when nothing is', async () => {
    const repository = newRepository();
    const request = requestOf(repository.folder);
    await cloneMirror(request);
    const commit = repository.commit({ 'b.txt': 'two\n' });
    expect(await fetchMirror(request)).toEqual({ commit, branch: 'main', leftOut: {} });
    expect(await fetchMirror(request)).toEqual({ commit, branch: 'main', leftOut: {} });
    expect(await resolveCommit(request.gitDir, 'HEAD')).toBe(commit);
  });

  it('follows a force push, and keeps the former commit readable', async () => {
    const repository = newRepository();
    const former = repository.commit({ 'a.txt': 'lost\n' });
    const request = requestOf(repository.folder);
    await cloneMirror(request);
    repository.git('reset', '--hard', '--quiet', 'HEAD~1');
    const commit = repository.commit({ 'a.txt': 'kept\n' });
    expect((await fetchMirror(request)).commit).toBe(commit);
    expect(String(await readPath(request.gitDir, former, 'a.txt', 10))).toBe('lost\n');
  });

  it('follows the default branch to another name, even to one below the former', async () => {
    const repository = newRepository();
    const request = requestOf(repository.folder);
    await cloneMirror(request);
    repository.git('branch', '-m', 'main', 'moved');
    repository.git('branch', '-m', 'moved', 'main/next');
    const commit = repository.commit({ 'a.txt': 'two\n' });
    expect(await fetchMirror(request)).toEqual({ commit, branch: 'main/next', leftOut: {} });
  });

  it('leaves the mirror as it was when the source is gone', async () => {
    const repository = newRepository();
    const request = requestOf(repository.folder);
    const { commit } = await cloneMirror(request);
    rmSync(repository.folder, { recursive: true });
    await expect(fetchMirror(request)).rejects.toMatchObject({ reason: 'not_found' });
    expect(await resolveCommit(request.gitDir, 'HEAD')).toBe(commit);
  });

  it('keeps the number of packs small over many fetches, and what force pushes left behind', async () => {
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

describe('sweepLeftovers', () => {
  it('removes old unfinished mirrors and nothing else', async () => {
    const folder = temporaryFolder();
    for (const name of ['a.git', 'a.git.tmp-0011', 'b.git.tmp-2233'])
      mkdirSync(join(folder, name, 'objects'), { recursive: true });
    const longAgo = new Date(Date.now() - 48 * 3_600_000);
    for (const name of ['a.git', 'a.git.tmp-0011']) utimesSync(join(folder, name), longAgo, longAgo);
    await sweepLeftovers(folder);
    expect(readdirSync(folder)).toEqual(['a.git', 'b.git.tmp-2233']);
    await expect(sweepLeftovers(join(folder, 'absent'))).resolves.toBeUndefined();
  });
});
