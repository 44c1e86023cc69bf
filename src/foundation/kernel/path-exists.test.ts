import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { pathExists } from './path-exists.ts';

it('finds files and folders, but no missing path and no dangling link', async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'file'), '');
  await symlink(join(folder, 'nowhere'), join(folder, 'link'));
  expect(await pathExists(folder)).toBe(true);
  expect(await pathExists(join(folder, 'file'))).toBe(true);
  expect(await pathExists(join(folder, 'absent'))).toBe(false);
  expect(await pathExists(join(folder, 'link'))).toBe(false);
});
