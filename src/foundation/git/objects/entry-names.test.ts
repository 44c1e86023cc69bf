import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  commitTree,
  type ForgedEntry,
  writeBlob,
  writeTree,
} from '../../../../test/support/git/forged-trees.ts';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { readPath } from '../../../../test/support/git/read-path.ts';
import { isSafeName } from './entry-names.ts';
import { findPath, listFolder, listTree } from './objects.ts';

describe('a tree with forged names', () => {
  let repository: TestRepository;
  let gitDir: string;
  let commit: string;

  beforeAll(() => {
    repository = createRepository();
    gitDir = join(repository.folder, '.git');
    const [good, evil] = [writeBlob(repository, 'good'), writeBlob(repository, 'evil')];
    const hidden = writeTree(repository, [['100644', 'config', evil]]);
    const entries: ForgedEntry[] = [
      ['100644', '..', evil],
      ['100644', '.', evil],
      ['40000', '.GIT', hidden],
      ['100644', '.git', evil],
      ['100644', '.gitignore', good],
      ['100644', 'a', good],
      ['100644', 'a', evil],
      ['100644', 'b/../../c', evil],
      ['40000', 'd/e', hidden],
      ['100644', 'f..', good],
    ];
    commit = commitTree(repository, writeTree(repository, entries));
  });

  it('is listed with all of them marked, and no valid name marked', async () => {
    const [safe, unsafe]: [string[], string[]] = [[], []];
    for await (const entry of listTree(gitDir, commit)) (entry.unsafe ? unsafe : safe).push(entry.path);
    expect(safe).toEqual(['.gitignore', 'a', 'f..']);
    expect(unsafe).toEqual(['..', '.', '.GIT/config', '.git', 'a', 'b/../../c', 'd/e/config']);
  });

  it('does not list them in their folder', async () => {
    const root = await listFolder(gitDir, commit, '');
    expect(root?.map(({ path }) => path)).toEqual(['.gitignore', 'a', 'f..']);
  });

  it.each(['..', '.', '.git', '.GIT', '.GIT/config'])('has no readable entry at %s', async (path) => {
    expect(await findPath(gitDir, commit, path)).toBeUndefined();
    expect(await readPath(gitDir, commit, path, 100)).toBeUndefined();
    expect(await listFolder(gitDir, commit, path)).toBeUndefined();
  });

  it('reads the first of two entries with the same name', async () => {
    expect(String(await readPath(gitDir, commit, 'a', 100))).toBe('good');
  });
});

describe('a name', () => {
  it.each(['', '.', '..', '.git', '.Git', 'a/b', 'a\0', 'a'.repeat(256), 'ü'.repeat(128)])(
    '%j is not safe',
    (name) => {
      expect(isSafeName(name)).toBe(false);
    },
  );

  it.each(['...', '.git2', 'a b', '-n', 'ü', 'a'.repeat(255), `${'ü'.repeat(127)}a`, '\\xFF'.repeat(255)])(
    '%j is safe',
    (name) => {
      expect(isSafeName(name)).toBe(true);
    },
  );
});
