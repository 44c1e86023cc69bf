import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { makeDataFolder } from './make-data-folder.ts';

describe('the data folder', () => {
  it('is created with its parents, for this account only, and may exist', () => {
    const folder = join(temporaryFolder(), 'a', 'b');
    for (let time = 0; time < 2; time += 1) makeDataFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.each([
    [
      'is a file',
      (root: string) => join(root, 'file'),
      /file cannot be created: it is a file\. Choose another/,
    ],
    ['is below a file', (root: string) => join(root, 'file', 'a', 'b'), /a part of the path is a file/],
    ['is in /proc', () => '/proc/x/y', /this file system takes no folders there.*--data-dir/],
  ])('is refused at once if it %s', (_, pathOf, message) => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'file'), '');
    expect(() => makeDataFolder(pathOf(root))).toThrow(message);
  });

  it('is refused where this account may not write', () => {
    const root = join(temporaryFolder(), 'closed');
    mkdirSync(root);
    chmodSync(root, 0o500);
    // The superuser may write anywhere.
    const isSuperuser = process.geteuid?.() === 0;
    if (isSuperuser) process.seteuid?.(65_534);
    try {
      expect(() => makeDataFolder(join(root, 'a'))).toThrow(/this account may not write there/);
    } finally {
      if (isSuperuser) process.seteuid?.(0);
    }
    expect(existsSync(join(root, 'a'))).toBe(false);
  });
});
