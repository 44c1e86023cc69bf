import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Operation,
  operationNames,
  prepareOperations,
  runOperation,
  violationsAfter,
} from '../../kill/index-operations.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Most of the time of a kill is spent on starting the process. */
const concurrency = 3;

let operations: readonly Operation[];
let cache: string;

beforeAll(async () => {
  operations = await prepareOperations();
  cache = temporaryFolder();
});

describe.each(operationNames)('a process killed before any file system change: %s', (name) => {
  const operation = (): Operation => operations.find((one) => one.name === name)!;

  it('leaves one complete generation that answers, and no other files after the next start', async () => {
    const errors: string[] = [];
    const killAt = async (n: number): Promise<boolean> => {
      const { root, run } = await runOperation(operation(), n, cache);
      for (const error of await violationsAfter(operation(), root, run)) {
        errors.push(`before change ${n} (${run.writes.at(-1)}): ${error}`);
      }
      return run.killed;
    };
    let n = 1;
    for (let killed = [true]; killed.every(Boolean); n += concurrency) {
      killed = await Promise.all(Array.from({ length: concurrency }, (_, index) => killAt(n + index)));
    }
    expect(errors).toEqual([]);
    expect(n).toBeGreaterThan(10);
  });

  it('syncs what a manifest names before it renames the manifest, and syncs every changed folder', async () => {
    const { run } = await runOperation(operation(), 0, cache);
    const { writes } = run;
    const commit = name === 'remove' ? 'unlink manifest' : 'rename manifest.tmp to manifest';
    const committed = writes.indexOf(commit);
    expect(writes.filter((write) => write === commit)).toHaveLength(1);
    expect(writes.indexOf('sync repo', committed)).toBe(committed + 1);
    for (const [at, write] of writes.entries()) {
      // Locks and change notifications are meaningless after a crash.
      const file = /^(?:create|write) (.*\.seg.*|manifest\.tmp)$/.exec(write)?.[1];
      if (file === undefined || at > committed) continue;
      expect([write, writes.lastIndexOf(`sync ${file}`, committed) > at]).toEqual([write, true]);
    }
    if (name !== 'remove') expect(writes.lastIndexOf('sync repo', committed)).toBeGreaterThan(0);
  });
});
