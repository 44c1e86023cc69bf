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
  histories.read(folderWith(100_000));
  expect(histories.read(second)).toBe(ofSecond);
  expect(histories.read(first)).toEqual(ofFirst);
  expect(histories.read(first)).not.toBe(ofFirst);
});
