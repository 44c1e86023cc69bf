import { beforeAll, describe, expect, it } from 'vitest';
import {
  faultsAfter,
  type Operation,
  operationNames,
  prepareOperations,
  runOperation,
} from '../kill/index-operations.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Starting a process is most of what a kill costs. */
const atOnce = 3;

let operations: readonly Operation[];
let cache: string;

beforeAll(async () => {
  operations = await prepareOperations();
  cache = temporaryFolder();
}, 120_000);

describe.each(operationNames)('a process killed before any change of the file system: %s', (name) => {
  const operation = (): Operation => operations.find((one) => one.name === name)!;

  it('leaves one whole generation to answer, and nothing behind the next start', async () => {
    const faults: string[] = [];
    const killAt = async (n: number): Promise<boolean> => {
      const { root, run } = await runOperation(operation(), n, cache);
      for (const fault of await faultsAfter(operation(), root, run)) {
        faults.push(`before change ${n} (${run.writes.at(-1)}): ${fault}`);
      }
      return run.killed;
    };
    let n = 1;
    for (let killed = [true]; killed.every(Boolean); n += atOnce) {
      killed = await Promise.all(Array.from({ length: atOnce }, (_, offset) => killAt(n + offset)));
    }
    expect(faults).toEqual([]);
    expect(n).toBeGreaterThan(10);
  }, 300_000);

  it('forces to the disk what a manifest names before that is renamed, and every change of a folder', async () => {
    const { run } = await runOperation(operation(), 0, cache);
    const { writes } = run;
    const commit = name === 'remove' ? 'unlink manifest' : 'rename manifest.tmp to manifest';
    const committed = writes.indexOf(commit);
    expect(writes.filter((write) => write === commit)).toHaveLength(1);
    expect(writes.indexOf('sync repo', committed)).toBe(committed + 1);
    for (const [at, write] of writes.entries()) {
      // Locks and news mean nothing after a crash.
      const file = /^(?:create|write) (.*\.seg.*|manifest\.tmp)$/.exec(write)?.[1];
      if (file === undefined || at > committed) continue;
      expect([write, writes.lastIndexOf(`sync ${file}`, committed) > at]).toEqual([write, true]);
    }
    if (name !== 'remove') expect(writes.lastIndexOf('sync repo', committed)).toBeGreaterThan(0);
  });
});
