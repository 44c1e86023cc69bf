import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { writeHistory } from '../format/history-file.ts';
import { OpenHistories } from './open-histories.ts';
import { prepareHistory } from './prepared-history.ts';

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

it('counts all columns and texts of a history', () => {
  const commits = Array.from({ length: 200 }, (_, at) => ({
    id: at.toString(16).padStart(40, 'a'),
    time: at,
    subject: `Mend the anchor ${at}`,
    terms: Uint32Array.of(at, at + 1, at + 2),
    paths: [`src/anchors/anchor-${at % 40}.ts`, 'src/ferry.ts'],
  }));
  const history = prepareHistory({ commit: 'f'.repeat(40), commits });
  const texts = commits.reduce((sum, { id, subject }) => sum + id.length + subject.length, 0);
  expect(history.bytes).toBeGreaterThanOrEqual(texts + columnBytes(history));
  expect(history.commit(7)).toEqual({ id: commits[7]?.id, subject: 'Mend the anchor 7' });
});

/** Returns the size of all typed arrays and lists of texts in a value, in bytes. */
function columnBytes(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (Array.isArray(value))
    return value.reduce((sum: number, one: string | undefined) => sum + 8 + (one?.length ?? 0), 0);
  if (typeof value !== 'object' || value === null || value instanceof Map) return 0;
  return Object.values(value).reduce((sum: number, one: unknown) => sum + columnBytes(one), 0);
}
