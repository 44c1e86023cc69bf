import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { removeLeftRunFolders, withRunFolder } from './run-folder.ts';

it('a folder exists while its work runs, and is kept from others that remove what is left', async () => {
  const parent = join(temporaryFolder(), 'parent');
  let used = '';
  await withRunFolder(parent, async (folder) => {
    used = folder;
    await removeLeftRunFolders(parent);
    await withRunFolder(parent, () => Promise.resolve());
    expect(readdirSync(parent)).toHaveLength(1);
  });
  expect([used.startsWith(parent), existsSync(used)]).toEqual([true, false]);
  await expect(withRunFolder(parent, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(readdirSync(parent)).toEqual([]);
});

it('what killed processes left is removed, also if their id belongs to another process by now', async () => {
  const parent = temporaryFolder();
  await withRunFolder(parent, async (own) => {
    const [, space, pid] = /run-(\d+)-(\d+)-\d+-/.exec(own) ?? [];
    const ended = spawn('true');
    await once(ended, 'exit');
    const left = [`run-${space}-${ended.pid}-1-a`, `run-${space}-${pid}-1-b`];
    const foreign = [`run-1-${pid}-1-new`, `run-1-${pid}-1-old`];
    for (const name of [...left, ...foreign, 'id_ed25519']) mkdirSync(join(parent, name));
    utimesSync(join(parent, foreign[1] ?? ''), 1, 1);
    await removeLeftRunFolders(parent);
    const kept = readdirSync(parent).filter((name) => !own.endsWith(name));
    expect(kept.toSorted()).toEqual(['id_ed25519', foreign[0]]);
  });
});
