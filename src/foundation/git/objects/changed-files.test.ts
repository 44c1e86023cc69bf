import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitBomb, commitTree, writeBlob, writeTree } from '../../../../test/support/git/forged-trees.ts';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { openBlobReader } from './blob-reader.ts';
import { changedFiles } from './changed-files.ts';

async function changes(
  { folder }: TestRepository,
  from: string,
  to: string,
  limits: Parameters<typeof changedFiles>[3] = {},
): ReturnType<typeof changedFiles> {
  await using reader = openBlobReader(join(folder, '.git'));
  return await changedFiles(reader, from, to, limits);
}

/** Returns Git's own result in the format of `changedFiles`. */
function byGit({ folder }: TestRepository, from: string, to: string): string[] {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to];
  const fields = execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).split('\0');
  return Array.from(
    { length: (fields.length - 1) / 2 },
    (_, row) => `${fields[2 * row]} ${fields[2 * row + 1]}`,
  );
}

async function asGit(repository: TestRepository, from: string, to: string): Promise<string[]> {
  const found = await changes(repository, from, to);
  if (typeof found === 'string') throw new Error(found);
  return found
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
    .map(
      ({ oldMode, mode, oldOid, oid, status, path }) =>
        `:${oldMode} ${mode} ${oldOid} ${oid} ${status} ${path}`,
    );
}

describe('the files that differ between two commits', () => {
  const files = { 'a.txt': 'a', 'src/one.ts': '1', 'src/deep/two.ts': '2', 'größe/x': 'x', 'gone/y': 'y' };
  const repository = createRepository(files);
  const first = repository.git('rev-parse', 'HEAD');

  it('match those of Git: changed, added, deleted, renamed, and folders that became files', async () => {
    rmSync(join(repository.folder, 'gone'), { recursive: true });
    rmSync(join(repository.folder, 'a.txt'));
    symlinkSync('src/one.ts', join(repository.folder, 'a.txt'));
    repository.git('mv', 'größe/x', 'größe/new\nline');
    const second = repository.commit({ gone: 'a file', 'src/deep/two.ts': 'two', 'src/deep/er/3.ts': '3' });
    expect(await asGit(repository, first, second)).toEqual(byGit(repository, first, second));
    expect(await asGit(repository, second, first)).toEqual(byGit(repository, second, first));
    expect(await changes(repository, second, second)).toEqual([]);
  });

  it('are found when hundreds of folders differ', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`d${index % 100}/e${index % 7}/f${index}`, `${index}`]),
    );
    const before = repository.commit(many);
    for (let index = 0; index < 300; index += 2) {
      writeFileSync(join(repository.folder, `d${index % 100}/e${index % 7}/f${index}`), 'changed');
    }
    const after = repository.commit({});
    expect(await asGit(repository, before, after)).toEqual(byGit(repository, before, after));
  });

  it('are `missing` for a commit that does not exist', async () => {
    expect(await changes(repository, '0123456789'.repeat(4), first)).toBe('missing');
    expect(await changes(repository, first, '0123456789'.repeat(4))).toBe('missing');
  });
});

describe('invalid trees', () => {
  it.each(['..', '.git', 'a/b', ''])('are detected by a forged name: %j', async (name) => {
    const repository = createRepository({ 'a.txt': 'a' });
    const first = repository.git('rev-parse', 'HEAD');
    const inner = writeTree(repository, [['100644', name, writeBlob(repository, 'evil')]]);
    const to = commitTree(repository, writeTree(repository, [['40000', 'folder', inner]]));
    expect(await changes(repository, first, to)).toBe('forged');
  });

  it('are detected by a duplicate name', async () => {
    const repository = createRepository({ 'a.txt': 'a' });
    const first = repository.git('rev-parse', 'HEAD');
    const blob = writeBlob(repository, 'b');
    const twice = writeTree(repository, [
      ['100644', 'a.txt', blob],
      ['100644', 'a.txt', writeBlob(repository, 'c')],
    ]);
    expect(await changes(repository, first, commitTree(repository, twice))).toBe('forged');
  });

  it('are refused quickly when they are a bomb', async () => {
    const repository = createRepository({ 'a.txt': 'a' });
    const first = repository.git('rev-parse', 'HEAD');
    await expect(changes(repository, first, commitBomb(repository))).rejects.toMatchObject({
      code: 'too_many_files',
    });
  });

  it('are refused above a limit, counted without the unchanged part of the commit', async () => {
    const repository = createRepository({ a: 'a', b: 'b', c: 'c' });
    const first = repository.git('rev-parse', 'HEAD');
    const to = repository.commit({ a: 'A', b: 'B' });
    expect(await changes(repository, first, to, { entries: 2 })).toHaveLength(2);
    await expect(changes(repository, first, to, { entries: 1 })).rejects.toMatchObject({
      code: 'too_many_files',
    });
  });
});

describe('folders of the maximum size', () => {
  it('can be renamed as a whole', async () => {
    const repository = createRepository({ 'old/a': 'a', 'old/b': 'b' });
    const first = repository.git('rev-parse', 'HEAD');
    repository.git('mv', 'old', 'new');
    // The folder and its files, on both sides.
    expect(await changes(repository, first, repository.commit({}), { entries: 3 })).toHaveLength(4);
  });

  it('are `too_wide` when they exceed the limit of the comparison', async () => {
    const repository = createRepository({ 'a.txt': 'a', 'wide/a': 'a', 'wide/b': 'b', 'wide/c': 'c' });
    const first = repository.git('rev-parse', 'HEAD');
    const to = repository.commit({ 'wide/a': 'A' });
    // Three entries of a mode, a name and an id of 20 bytes.
    expect(await changes(repository, first, to, { folderBytes: 87 })).toHaveLength(1);
    expect(await changes(repository, first, to, { folderBytes: 86 })).toBe('too_wide');
    expect(
      await changes(repository, to, repository.commit({ 'a.txt': 'A' }), { folderBytes: 86 }),
    ).toHaveLength(1);
  });
});
