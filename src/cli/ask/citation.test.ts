import { describe, expect, it } from 'vitest';
import type { Channel } from '../frame/channel.ts';
import { formatAnswer, formatStart } from './citation.ts';

const plain: Channel = {
  isTerminal: true,
  columns: 80,
  write: () => undefined,
  style: (_, text) => text,
};
const cited = { n: 1, url: 'https://git.example.com/a', title: 'a', path: 'a.ts', startLine: 3 };

describe('an answer on the terminal', () => {
  it('prints the repository, file, lines, commit, address and text of each source, if known', () => {
    const whole = { ...cited, repository: 'service', endLine: 9, commit: 'abcdef'.repeat(6), excerpt: 'b' };
    expect(formatAnswer('Said [1].', [whole, { ...cited, n: 2 }], plain)).toBe(
      'Said [1].\n\n[1] service/a.ts:3-9 @ abcdefabcdef\n    https://git.example.com/a\n    b\n[2] a.ts:3-3\n    https://git.example.com/a',
    );
  });

  it('prints only the answer without citations, and the title of a citation without a file', () => {
    expect(formatAnswer('Nothing is indexed.', [], plain)).toBe('Nothing is indexed.');
    const { path: _, ...untitled } = cited;
    expect(formatAnswer('', [untitled], plain)).toContain('[1] a\n');
  });

  it('fits a screen, however long the passages are', () => {
    const long = { ...cited, excerpt: 'line\n'.repeat(500) };
    const many = Array.from({ length: 12 }, (_, index) => ({ ...long, n: index + 1 }));
    const { text, cut, hidden } = formatStart(`Said ${many.map(({ n }) => `[${n}]`).join('')}.`, many, plain);
    expect(text.split('\n').length).toBeLessThanOrEqual(50);
    expect({ cut, hidden }).toEqual({ cut: 12, hidden: 0 });
    expect(formatStart('Said [1].', many, plain)).toMatchObject({ cut: 4, hidden: 8 });
  });

  it('names the repository and the lines of each source', () => {
    const two = [
      { ...cited, repository: 'one', endLine: 9 },
      { ...cited, n: 2 },
    ];
    expect(formatStart('[1] [2]', two, plain).text).toContain('[1] one/a.ts:3-9\n[2] a.ts:3-3');
  });

  it.each([
    ['file name', { ...cited, path: 'a\u001B[31mred\u202E.ts' }],
    ['file name with a line of its own', { ...cited, path: 'a\r\n[2] b.ts' }],
    ['repository', { ...cited, repository: '\u001B]0;title\u0007shop' }],
    ['address', { ...cited, url: 'https://git.example.com/\u009B2J\u200B' }],
  ])('removes control characters of a %s', (_, hostile) => {
    const lines = formatAnswer('See [1].', [hostile], plain).split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('quotes no commit, and gives the room of a short passage to the next', () => {
    const [commit, short, long] = [
      { ...cited, kind: 'commit', excerpt: 'subject' },
      { ...cited, n: 2, excerpt: 'one\ntwo' },
      { ...cited, n: 3, excerpt: Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join('\n') },
    ] as const;
    const { text } = formatStart('[1] [2] [3]', [commit, short, long], plain);
    expect(text).not.toContain('subject');
    expect(text).toContain('    line 19\n    …');
  });

  it('shows lines of a passage for which little room is left', () => {
    const passage = (n: number, lines: number, focus?: number) => ({
      ...cited,
      n,
      excerpt: Array.from({ length: lines }, (_, at) => `line ${at + 1} of ${n}`).join('\n'),
      ...(focus === undefined ? {} : { focus }),
    });
    const many = [passage(1, 12), passage(2, 9), passage(3, 7), passage(4, 2), passage(5, 10, 4)];
    const { text } = formatStart('[1] [2] [3] [4] [5]', many, plain);
    expect(text).toMatch(/\[5\] a\.ts:3-3\n {4}line 1 of 5\n {4}line 2 of 5\n {4}…$/);
  });

  it('removes control characters of the text and of passages', () => {
    expect(formatAnswer('\u001B[31mred\u001B[0m\tand\nnext', [], plain)).toBe('[31mred[0m\tand\nnext');
    expect(formatAnswer('', [{ ...cited, excerpt: '\u001B[2Jx' }], plain)).toContain('    [2Jx');
  });

  it('removes escapes of Markdown, but not in code', () => {
    const text = String.raw`A \_b\_ \`c.d\(\)\` in ${'`e\\_f`'}`;
    expect(formatAnswer(text, [], plain)).toBe('A _b_ `c.d()` in `e\\_f`');
  });
});
