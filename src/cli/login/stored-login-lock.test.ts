import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { withFileLock } from './stored-login-lock.ts';

const { signal } = new AbortController();
// No process has this id: it exceeds pid_max (proc(5)).
const gone = `99999999 ${hostname()} 0123456789abcdef01234567`;

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'lock');
});

/** Runs several workers at once; returns the maximum number at the same time, and the total. */
async function runConcurrently(size: number) {
  let inside = 0;
  const seen: number[] = [];
  const work = async () => {
    inside += 1;
    seen.push(inside);
    await pause(1);
    inside -= 1;
  };
  const start = async (_: unknown, index: number) => {
    await pause(index % 4);
    await withFileLock(file, signal, work);
  };
  await Promise.all(Array.from({ length: size }, start));
  return { maxAtOnce: Math.max(...seen), worked: seen.length };
}

describe('a lock file', () => {
  it('runs one piece of work at a time, and is removed afterwards', async () => {
    expect(await runConcurrently(12)).toEqual({ maxAtOnce: 1, worked: 12 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is broken by only one of the processes that find it abandoned', async () => {
    for (let round = 0; round < 8; round += 1) {
      writeFileSync(file, gone);
      expect(await runConcurrently(8)).toEqual({ maxAtOnce: 1, worked: 8 });
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is broken even if another process was killed while breaking it', async () => {
    writeFileSync(file, gone);
    writeFileSync(`${file}.break`, gone);
    const then = new Date(Date.now() - 11_000);
    utimesSync(`${file}.break`, then, then);
    expect(await runConcurrently(4)).toEqual({ maxAtOnce: 1, worked: 4 });
  });

  it('has an age that starts when it is acquired, not when the wait starts', async () => {
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

  it('is released if the work fails', async () => {
    const work = () => Promise.reject(new Error('no'));
    await expect(withFileLock(file, signal, work)).rejects.toThrow('no');
    expect(readdirSync(folder)).toEqual([]);
  });
});
