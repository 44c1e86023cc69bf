import { expect, it } from 'vitest';
import { searchablePath } from './searchable-text.ts';
import { truncateLine } from './truncate-line.ts';

const truncated = (text: string, start: number, end: number): ReturnType<typeof truncateLine> =>
  truncateLine(searchablePath(text), { start: 0, end: text.length }, { start, end });

it('returns a short line whole, without its carriage return', () => {
  expect(truncated('const x = 1;\r', 6, 7)).toEqual({
    text: 'const x = 1;',
    textOffset: 0,
    column: 7,
    length: 1,
  });
});

it('truncates a longer line to 2,000 characters around the match', () => {
  const line = `${'a'.repeat(5000)}match${'b'.repeat(5000)}`;
  const result = truncated(line, 5000, 5005);
  expect(result.text).toHaveLength(2000);
  expect(result).toMatchObject({ column: 5001, length: 5 });
  const start = result.column - 1 - result.textOffset;
  expect(result.text.slice(start, start + result.length)).toBe('match');
});

it('limits the length of a match to the returned text', () => {
  const result = truncated('x'.repeat(9000), 0, 9000);
  expect(result).toMatchObject({ textOffset: 0, column: 1, length: 2000 });
});

it('counts columns in UTF-16 code units', () => {
  expect(truncated('👍 match', 3, 8)).toEqual({ text: '👍 match', textOffset: 0, column: 4, length: 5 });
});
