import { describe, expect, it } from 'vitest';
import { shownLines } from './shown-lines.ts';

/** Returns the texts of the lines that a page shows of a file, from a line on. */
function shown(whole: string, startLine = 1): readonly string[] {
  const all = whole.split('\n');
  const [endLine, totalLines] = [Math.min(all.length, startLine + 199), all.length];
  const content = all.slice(startLine - 1, endLine).join('\n');
  const where = { repository: 'a/b', commit: 'c', path: 'a.ts', language: 'TypeScript' };
  const lines = shownLines({ ...where, content, startLine, endLine, totalLines }, whole);
  return lines.map((line) => line.map(({ text }) => text).join(''));
}

describe('the lines of a file on its page', () => {
  it('are those of the part, with the line breaks of any system', () => {
    expect(shown('a\r\nb\r\nc', 2)).toEqual(['b', 'c']);
    expect(shown('a\n\n')).toEqual(['a', '', '']);
  });

  it('are fewer if they are long, but at least one', () => {
    const line = 'x'.repeat(1_000);
    expect(shown(`${line}\n`.repeat(100))).toHaveLength(28);
    expect(shown(`${'&'.repeat(9_000)}\nb`)).toEqual([`${'&'.repeat(5_000)} … 4,000 more characters`]);
  });
});
