import { expect, it } from 'vitest';
import { slicesOf } from './slices.ts';

const slices = (sizes: readonly number[], rows: number, bytes: number): readonly (readonly number[])[] =>
  slicesOf(sizes, { rows, bytes }, (size) => size);

it('keeps the order and both limits', () => {
  expect(slices([1, 2, 3, 4, 5], 2, 100)).toEqual([[1, 2], [3, 4], [5]]);
  expect(slices([4, 4, 4, 4], 100, 8)).toEqual([
    [4, 4],
    [4, 4],
  ]);
});

it('puts an item that is larger than a slice into its own slice', () => {
  expect(slices([1, 9, 1], 100, 8)).toEqual([[1], [9], [1]]);
});

it('returns no slices for an empty list', () => {
  expect(slices([], 2, 2)).toEqual([]);
});
