import { expect, it } from 'vitest';
import { Blocks } from './blocks.ts';

it('looks at a bounded number of the functions around each place', () => {
  const count = 2_000;
  let asked = 0;
  const at = () => {
    asked += 1;
    return { symbol: undefined, self: undefined };
  };
  const nested = Array.from({ length: count }, (_, index) => ({ start: index, end: 2 * count - index }));
  const blocks = new Blocks(nested, { at });
  const found = nested.map(({ start }) => blocks.inside(start, undefined));
  expect(found.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(count * 50);
  expect(asked).toBe(count);
});

it('knows the functions around a place, the innermost first', () => {
  const at = (offset: number) => ({ symbol: offset < 5 ? 0 : 1, self: undefined });
  const blocks = new Blocks(
    [
      { start: 10, end: 40 },
      { start: 20, end: 30 },
      { start: 30, end: 35 },
    ],
    { at },
  );
  const starts = (offset: number): readonly number[] => blocks.inside(offset, 1).map(({ start }) => start);
  expect([9, 10, 25, 30, 36, 40].map(starts)).toEqual([[], [10], [20, 10], [30, 10], [10], []]);
  expect(blocks.inside(25, 0)).toEqual([]);
});
