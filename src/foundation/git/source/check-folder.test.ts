import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { checkFolder } from './check-folder.ts';

describe('checkFolder', () => {
  const rules = { dataDir: temporaryFolder(), explainFolders: true };
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(temporaryFolder());
  });

  it('accepts a repository with a work tree, by its real path', async () => {
    const repository = createRepository({ 'a.txt': 'a' });
    await symlink(repository.folder, join(folder, 'link'));
    expect(await checkFolder(join(folder, 'link'), rules)).toBe(await realpath(repository.folder));
  });

  it('accepts a bare repository and a linked work tree', async () => {
    const repository = createRepository({ 'a.txt': 'a' });
    repository.git('clone', '--quiet', '--bare', '.', join(folder, 'bare.git'));
    repository.git('worktree', 'add', '--quiet', join(folder, 'tree'));
    expect(await checkFolder(join(folder, 'bare.git'), rules)).toBe(join(folder, 'bare.git'));
    expect(await checkFolder(join(folder, 'tree'), rules)).toBe(join(folder, 'tree'));
  });

  it('names the repository that contains a folder', async () => {
    const repository = createRepository({ 'src/a.txt': 'a' });
    const root = await realpath(repository.folder);
    await expect(checkFolder(join(root, 'src'), rules)).rejects.toThrow(
      `is inside the Git repository ${root}`,
    );
  });

  it('explains why a plain folder, a file and a missing path are refused', async () => {
    await mkdir(join(folder, 'plain'));
    await writeFile(join(folder, 'file'), '');
    await expect(checkFolder(join(folder, 'plain'), rules)).rejects.toThrow(
      /is not a Git repository: run "git init"/,
    );
    await expect(checkFolder(join(folder, 'file'), rules)).rejects.toThrow(/is not a Git repository/);
    await expect(checkFolder(join(folder, 'nothing'), rules)).rejects.toThrow(
      /cannot be opened: check that the folder exists/,
    );
  });

  it('refuses folders inside the data folder', async () => {
    const mirror = join(rules.dataDir, 'repositories', 'org', 'r.git');
    createRepository({ 'a.txt': 'a' }).git('clone', '--quiet', '--bare', '.', mirror);
    await writeFile(join(folder, '.git'), `gitdir: ${mirror}`);
    for (const path of [mirror, folder]) {
      await expect(checkFolder(path, rules)).rejects.toThrow(/leads into the data folder/);
    }
  });

  it('reveals nothing about folders to callers other than the operator', async () => {
    const repository = createRepository({ 'src/a.txt': 'a' });
    const mirror = join(rules.dataDir, 'x.git');
    repository.git('clone', '--quiet', '--bare', '.', mirror);
    await writeFile(join(folder, 'file'), '');
    const paths = [folder, join(folder, 'file'), '/root/x', mirror, join(repository.folder, 'src')];
    const errors = await Promise.all(
      paths.map((path) => checkFolder(path, { dataDir: rules.dataDir }).catch((error: unknown) => error)),
    );
    const [first] = errors;
    expect(first).toMatchObject({ message: expect.stringMatching(/^The folder cannot be added/) as string });
    const publicly = errors.map((error) => error instanceof InvalidInput && [error.message, error.errors]);
    expect(new Set(publicly.map((part) => JSON.stringify(part))).size).toBe(1);
    expect(await checkFolder(repository.folder, { dataDir: rules.dataDir })).toBe(
      await realpath(repository.folder),
    );
  });
});
