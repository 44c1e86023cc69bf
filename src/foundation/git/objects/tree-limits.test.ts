import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  commitBomb,
  commitTree,
  type ForgedEntry,
  writeBlob,
  writeTree,
} from '../../../../test/support/git/forged-trees.ts';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { listTree } from './objects.ts';
import { type TreeLimits, treeLimits } from './tree-limits.ts';

const repository = createRepository({ 'a/b/c.txt': 'c', 'a/d.txt': 'd' });
const gitDir = join(repository.folder, '.git');
const commit = repository.git('rev-parse', 'HEAD');

async function list(limits: Partial<TreeLimits>, oid = commit): Promise<string[]> {
  const paths: string[] = [];
  const listing = listTree(gitDir, oid, undefined, { limits: { ...treeLimits, ...limits } });
  for await (const { path } of listing) paths.push(path);
  return paths;
}

describe('the limits of a commit', () => {
  it.each<[Partial<TreeLimits>, Partial<TreeLimits>, RegExp]>([
    [{ entries: 4 }, { entries: 3 }, /more than 3 files and folders/],
    [{ pathBytes: 20 }, { pathBytes: 19 }, /more than 19 bytes together/],
    [{ pathLength: 9 }, { pathLength: 8 }, /a path longer than 8 bytes/],
    [{ depth: 2 }, { depth: 1 }, /more than 1 folders inside one another/],
  ])('accept %j and refuse %j', async (enough, tooFew, message) => {
    expect(await list(enough)).toEqual(['a/b/c.txt', 'a/d.txt']);
    await expect(list(tooFew)).rejects.toMatchObject({
      code: 'too_many_files',
      status: 400,
      message: expect.stringMatching(message) as string,
    });
  });

  it('stop a bomb of a thousand million paths within seconds', async () => {
    const bomb = commitBomb(repository);
    const started = performance.now();
    await expect(list({}, bomb)).rejects.toThrow('more than 500000 files and folders');
    expect(performance.now() - started).toBeLessThan(50_000);
  });

  it('count empty folders', async () => {
    const empty = writeTree(repository, []);
    const folders = ['x', 'y', 'z'].map((name): ForgedEntry => ['40000', name, empty]);
    const hollow = commitTree(repository, writeTree(repository, folders));
    expect(await list({ entries: 3 }, hollow)).toEqual([]);
    await expect(list({ entries: 2 }, hollow)).rejects.toThrow('more than 2 files');
  });

  it('stop at a path without end before it is complete', async () => {
    const name = 'x'.repeat(4 * 1024 * 1024);
    const tree = writeTree(repository, [['100644', name, writeBlob(repository, 'x')]]);
    await expect(list({}, commitTree(repository, tree))).rejects.toMatchObject({ code: 'git_too_large' });
  });
});
