import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { writeHistory } from '../format/history-file.ts';
import { OpenHistories } from './open-histories.ts';

/** With so many bytes of paths. */
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

it('holds as many histories as have room, and lets go of those not asked for longest', () => {
  const [first, second, large] = [folderWith(1), folderWith(1), folderWith(800_000)];
  const histories = new OpenHistories(1_000_000);
  const [ofFirst, ofSecond] = [histories.of(first), histories.of(second)];
  histories.of(large);
  expect(histories.of(second)).toBe(ofSecond);
  histories.of(folderWith(100_000));
  expect(histories.of(second)).toBe(ofSecond);
  expect(histories.of(first)).toEqual(ofFirst);
  expect(histories.of(first)).not.toBe(ofFirst);
});
