import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { withFileLock } from './stored-login-lock.ts';

const { signal } = new AbortController();
// No process has so high a number (proc(5): pid_max).
const gone = `99999999 ${hostname()} 0123456789abcdef01234567`;

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'lock');
});

/** So many at once; how many worked at the same time at most, and how many in all. */
async function crowd(size: number) {
  let inside = 0;
  const seen: number[] = [];
  const work = async () => {
    inside += 1;
    seen.push(inside);
    await pause(1);
    inside -= 1;
  };
  const comes = async (_: unknown, index: number) => {
    await pause(index % 4);
    await withFileLock(file, signal, work);
  };
  await Promise.all(Array.from({ length: size }, comes));
  return { together: Math.max(...seen), worked: seen.length };
}

describe('a lock file', () => {
  it('lets one work at a time, and leaves nothing behind', async () => {
    expect(await crowd(12)).toEqual({ together: 1, worked: 12 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is broken by one of those who find it abandoned', async () => {
    for (let round = 0; round < 8; round += 1) {
      writeFileSync(file, gone);
      expect(await crowd(8)).toEqual({ together: 1, worked: 8 });
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is broken even if the one who was to break it has been killed at that', async () => {
    writeFileSync(file, gone);
    writeFileSync(`${file}.break`, gone);
    const then = new Date(Date.now() - 11_000);
    utimesSync(`${file}.break`, then, then);
    expect(await crowd(4)).toEqual({ together: 1, worked: 4 });
  });

  it('is as old as it has been held, however long its holder waited', async () => {
    let released = 0;
    const first = withFileLock(file, signal, async () => {
      await pause(300);
      released = Date.now();
    });
    await expect.poll(() => readdirSync(folder)).toContain('lock');
    const taken = await withFileLock(file, signal, async () => statSync(file).mtimeMs);
    await first;
    expect(taken).toBeGreaterThanOrEqual(released - 5);
  });

  it('goes with work that fails', async () => {
    const work = () => Promise.reject(new Error('no'));
    await expect(withFileLock(file, signal, work)).rejects.toThrow('no');
    expect(readdirSync(folder)).toEqual([]);
  });
});
