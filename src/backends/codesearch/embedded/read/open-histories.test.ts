import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { writeHistory } from '../format/history-file.ts';
import { OpenHistories } from './open-histories.ts';

/** Creates a folder with a history with `bytes` bytes of paths. */
function folderWith(bytes: number): string {
  const folder = temporaryFolder();
  const past = {
    id: 'f'.repeat(40),
    time: 1,
    subject: 'Begin',
    terms: Uint32Array.of(7),
    paths: ['p'.repeat(bytes)],
  };
  writeHistory(folder, { commit: past.id, commits: [past] });
  return folder;
}

it('keeps the histories that fit, and evicts the least recently used', () => {
  const [first, second, large] = [folderWith(1), folderWith(1), folderWith(800_000)];
  const histories = new OpenHistories(1_000_000);
  const [ofFirst, ofSecond] = [histories.read(first), histories.read(second)];
  histories.read(large);
  expect(histories.read(second)).toBe(ofSecond);
  histories.read(folderWith(195_000));
  expect(histories.read(second)).toBe(ofSecond);
  const again = histories.read(first);
  expect(again?.paths).toEqual(ofFirst?.paths);
  expect(again).not.toBe(ofFirst);
});

it('keeps no more in memory than its bound', () => {
  const collect = garbageCollector();
  const folders = Array.from({ length: 16 }, (_, one) => folderOfCommits(2000, one));
  const memory = (): number => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  let histories: OpenHistories | undefined = new OpenHistories(3 << 20);
  for (const folder of folders) histories.read(folder);
  expect(histories.read(folders.at(-1)!)?.count).toBe(2000);
  const held = memory();
  histories = undefined;
  expect((held - memory()) / (3 << 20)).toBeLessThan(2);
});

/** Creates a folder with a history of this many commits, which differs from that of another number. */
function folderOfCommits(count: number, seed: number): string {
  const folder = temporaryFolder();
  const commits = Array.from({ length: count }, (_, at) => ({
    id: (seed * count + at).toString(16).padStart(40, 'a'),
    time: at,
    subject: `Mend the anchor ${at} of the ferry ${seed}`,
    terms: Uint32Array.from(Array(12).keys(), (term) => at * 12 + term),
    paths: [`src/anchors/${seed}/anchor-${at % 400}.ts`, `src/ferries/${seed}.ts`],
  }));
  writeHistory(folder, { commit: commits[0]!.id, commits });
  return folder;
}

/** Returns the collector of V8. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('globalThis.gc') as () => void;
}
