import { expect, it } from 'vitest';
import { placeDefinitions, type Scope, type Span } from './enclosing.ts';

const scope = (kind: Scope['kind'], name: string, start: number, end: number): Scope => ({
  kind,
  name,
  start,
  end,
  nameStart: start,
  line: start,
  endLine: end,
  pattern: 0,
  owner: undefined,
  self: undefined,
  isSignature: false,
});

it('knows a bounded number of the anonymous functions around each place', () => {
  const count = 2_000;
  const nested = Array.from({ length: count }, (_, index) => ({ start: index, end: 2 * count - index }));
  const { at } = placeDefinitions([], nested);
  const found = nested.map(({ start }) => at(start).blocks);
  expect(found.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(count * 50);
});

it('knows the anonymous functions around a place inside of its definition, the innermost first', () => {
  const blocks: readonly Span[] = [
    { start: 2, end: 90 },
    { start: 10, end: 40 },
    { start: 20, end: 30 },
    { start: 30, end: 35 },
  ];
  const { at, symbols } = placeDefinitions([scope('function', 'renew', 5, 50)], blocks);
  const starts = (offset: number): readonly number[] => at(offset).blocks.map(({ start }) => start);
  expect([3, 9, 10, 25, 30, 36, 40].map(starts)).toEqual([[2], [], [10], [20, 10], [30, 10], [10], []]);
  expect([3, 9, 25, 60].map((offset) => at(offset).symbol)).toEqual([undefined, 0, 0, undefined]);
  expect(symbols).toHaveLength(1);
});
