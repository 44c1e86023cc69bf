import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { readPath } from '../../../../test/support/git/read-path.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { findPath, listFolder, listTree, resolveCommit } from './objects.ts';

const repository = createRepository({
  'a.txt': 'one\n',
  'src/b [1].ts': 'two\n',
  'src/deep/größe.ts': 'three\n',
});
const gitDir = join(repository.folder, '.git');
const first = repository.git('rev-parse', 'HEAD');
const second = repository.commit({
  'a.txt': 'changed\n',
  'new\nline.txt': 'x',
  'src/deep/größe.ts': 'three\n',
});
async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const absent = '0123456789'.repeat(4);

describe('listTree', () => {
  it('lists every file with its size, with any name', async () => {
    const entries = await collect(listTree(gitDir, second));
    expect(entries.map(({ path, bytes, mode, type }) => [path, bytes, mode, type])).toEqual([
      ['a.txt', 8, '100644', 'blob'],
      ['new\nline.txt', 1, '100644', 'blob'],
      ['src/b [1].ts', 4, '100644', 'blob'],
      ['src/deep/größe.ts', 6, '100644', 'blob'],
    ]);
  });

  it('names the next step when the commit is not in the mirror', async () => {
    await expect(collect(listTree(gitDir, absent))).rejects.toMatchObject({
      reason: 'damaged',
      message: expect.stringContaining('add it again') as string,
    });
  });

  it('refuses a ref or an option in place of a commit', async () => {
    await expect(collect(listTree(gitDir, '--help'))).rejects.toThrow(InvalidInput);
  });

  it('stops when the caller aborts or stops reading', async () => {
    const reason = new Error('stop');
    await expect(collect(listTree(gitDir, second, AbortSignal.abort(reason)))).rejects.toBe(reason);
    for await (const entry of listTree(gitDir, second)) {
      expect(entry.path).toBe('a.txt');
      break;
    }
  });
});

describe('paths of a commit', () => {
  it('are listed folder by folder', async () => {
    const paths = async (folder: string) =>
      (await listFolder(gitDir, second, folder))?.map(({ path, type }) => `${type} ${path}`);
    expect(await paths('')).toEqual(['blob a.txt', 'blob new\nline.txt', 'tree src']);
    expect(await paths('src')).toEqual(['blob src/b [1].ts', 'tree src/deep']);
    expect(await paths('src/deep/')).toEqual(['blob src/deep/größe.ts']);
    expect(await paths('a.txt')).toBeUndefined();
  });

  it('are read by their literal name', async () => {
    expect(String(await readPath(gitDir, second, 'src/b [1].ts', 100))).toBe('two\n');
    expect(String(await readPath(gitDir, second, 'new\nline.txt', 100))).toBe('x');
    expect(await readPath(gitDir, second, 'src/*', 100)).toBeUndefined();
    expect(await readPath(gitDir, second, 'src', 100)).toBeUndefined();
    expect(await readPath(gitDir, absent, 'a.txt', 100)).toBeUndefined();
  });

  it('are not read above the requested size', async () => {
    expect(await readPath(gitDir, second, 'a.txt', 7)).toBe('too_large');
    expect(await readPath(gitDir, second, 'a.txt', 8)).toBeInstanceOf(Buffer);
  });

  it.each(['../a.txt', '/a.txt', 'src/../a.txt', './a.txt', 'src//deep', 'a.txt\0', `a\n${absent} blob 3`])(
    'do not include %j',
    async (path) => {
      expect(await findPath(gitDir, second, path)).toBeUndefined();
    },
  );
});

describe('resolveCommit', () => {
  it('resolves HEAD, full ids and shortened ones', async () => {
    expect(await resolveCommit(gitDir, first)).toBe(first);
    expect(await resolveCommit(gitDir, first.slice(0, 10))).toBe(first);
    expect(await resolveCommit(gitDir, 'HEAD')).toBe(repository.git('rev-parse', 'HEAD'));
  });

  it.each([absent, 'main', '-h', '--all', 'HEAD~1', ':/Start', first.slice(0, 4), ''])(
    'does not know %j',
    async (ref) => {
      expect(await resolveCommit(gitDir, ref)).toBeUndefined();
    },
  );

  it('returns nothing for the id of a file', async () => {
    expect(await resolveCommit(gitDir, repository.git('rev-parse', `${first}:a.txt`))).toBeUndefined();
  });
});
