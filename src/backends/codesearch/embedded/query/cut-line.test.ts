import { expect, it } from 'vitest';
import { cutLine } from './cut-line.ts';
import { searchablePath } from './searchable-text.ts';

const cut = (text: string, start: number, end: number): ReturnType<typeof cutLine> =>
  cutLine(searchablePath(text), { start: 0, end: text.length }, { start, end });

it('shows a line of usual length whole, without its carriage return', () => {
  expect(cut('const x = 1;\r', 6, 7)).toEqual({ text: 'const x = 1;', textOffset: 0, column: 7, length: 1 });
});

it('shows 2,000 characters round the match of a longer one', () => {
  const line = `${'a'.repeat(5000)}match${'b'.repeat(5000)}`;
  const shown = cut(line, 5000, 5005);
  expect(shown.text).toHaveLength(2000);
  expect(shown).toMatchObject({ column: 5001, length: 5 });
  const start = shown.column - 1 - shown.textOffset;
  expect(shown.text.slice(start, start + shown.length)).toBe('match');
});

it('keeps the length of a match inside what is shown', () => {
  const shown = cut('x'.repeat(9000), 0, 9000);
  expect(shown).toMatchObject({ textOffset: 0, column: 1, length: 2000 });
});

it('counts columns in UTF-16', () => {
  expect(cut('👍 match', 3, 8)).toEqual({ text: '👍 match', textOffset: 0, column: 4, length: 5 });
});
