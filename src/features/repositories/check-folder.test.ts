import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRepository } from '../../../test/support/git-repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { checkFolder } from './check-folder.ts';

describe('checkFolder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(temporaryFolder());
  });

  it('takes a repository with a work tree, by its real path', async () => {
    const repository = createRepository({ 'a.txt': 'a' });
    await symlink(repository.folder, join(folder, 'link'));
    expect(await checkFolder(join(folder, 'link'))).toBe(await realpath(repository.folder));
  });

  it('takes a bare repository and a linked work tree', async () => {
    const repository = createRepository({ 'a.txt': 'a' });
    repository.git('clone', '--quiet', '--bare', '.', join(folder, 'bare.git'));
    repository.git('worktree', 'add', '--quiet', join(folder, 'tree'));
    expect(await checkFolder(join(folder, 'bare.git'))).toBe(join(folder, 'bare.git'));
    expect(await checkFolder(join(folder, 'tree'))).toBe(join(folder, 'tree'));
  });

  it('names the repository that a folder lies in', async () => {
    const repository = createRepository({ 'src/a.txt': 'a' });
    const root = await realpath(repository.folder);
    await expect(checkFolder(join(root, 'src'))).rejects.toThrow(`lies inside the Git repository ${root}`);
  });

  it('says what is wrong with a folder that is no repository, a file, and nothing at all', async () => {
    await mkdir(join(folder, 'plain'));
    await writeFile(join(folder, 'file'), '');
    await expect(checkFolder(join(folder, 'plain'))).rejects.toThrow(/is no Git repository: run "git init"/);
    await expect(checkFolder(join(folder, 'file'))).rejects.toThrow(/is no Git repository/);
    await expect(checkFolder(join(folder, 'nothing'))).rejects.toThrow(
      /cannot be opened: check that the folder exists/,
    );
  });
});
