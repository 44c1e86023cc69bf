import { expect, it } from 'vitest';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import { LineCollector, maxListed, packPaths } from './listed-lines.ts';

const place =
  (path: string, repository = 'one') =>
  () => ({
    repository: repository as RepositoryId,
    commit: 'c',
    path,
  });

it('lists files by repository and path', () => {
  const collector = new LineCollector(10);
  collector.add([7], place('b'));
  collector.add([3], place('a', 'other'));
  collector.add([1, 2], place('a'));
  expect(collector.result()).toEqual({
    repositories: [
      {
        repository: 'one',
        commit: 'c',
        paths: packPaths(['a', 'b']),
        ends: Uint32Array.of(2, 3),
        lines: Uint32Array.of(1, 2, 7),
      },
      {
        repository: 'other',
        commit: 'c',
        paths: packPaths(['a']),
        ends: Uint32Array.of(1),
        lines: Uint32Array.of(3),
      },
    ],
    unlisted: 0,
  });
});

it('counts the lines of all files after a limit, and does not ask where they are', () => {
  const collector = new LineCollector(10);
  const many = new Uint32Array(maxListed.lines / 2).fill(1);
  collector.add([1], place('a'));
  collector.add(many, place('b'));
  const asked: string[] = [];
  for (const lines of [many, [1]])
    collector.add(lines, () => {
      asked.push('asked');
      return place('c')();
    });
  const { repositories, unlisted } = collector.result();
  expect([repositories[0]?.lines.length, unlisted, asked]).toEqual([many.length + 1, many.length + 1, []]);
});

it('keeps only the added lines of an array', () => {
  const collector = new LineCollector(10);
  const lines = Uint32Array.of(1, 2, 3, 4);
  collector.add(lines, place('a'), 1, 3);
  lines.fill(0);
  const [{ lines: found } = { lines: [] }] = collector.result().repositories;
  expect([...found]).toEqual([2, 3]);
});
