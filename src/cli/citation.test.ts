import { describe, expect, it } from 'vitest';
import { answerInWords } from './citation.ts';
import type { Channel } from './frame/channel.ts';

const plain: Channel = {
  isTerminal: true,
  columns: 80,
  write: () => undefined,
  style: (_, text) => text,
};
const cited = { n: 1, url: 'https://git.example.com/a', title: 'a', path: 'a.ts', startLine: 3 };

describe('an answer on the terminal', () => {
  it('names repository, file, lines and commit of each source, as far as they are known', () => {
    const whole = { ...cited, repository: 'service', endLine: 9, commit: 'abcdef'.repeat(6) };
    expect(answerInWords('Said [1].', [whole, { ...cited, n: 2 }], plain)).toBe(
      'Said [1].\n\n[1] service/a.ts:3-9 @ abcdefabcdef\n    https://git.example.com/a\n[2] a.ts:3-3\n    https://git.example.com/a',
    );
  });

  it('is the answer alone where nothing is cited, and the title where no file is', () => {
    expect(answerInWords('Nothing is indexed.', [], plain)).toBe('Nothing is indexed.');
    const { path: _, ...untitled } = cited;
    expect(answerInWords('', [untitled], plain)).toContain('[1] a\n');
  });

  it.each([
    ['file name', { ...cited, path: 'a\u001B[31mred\u202E.ts' }],
    ['file name with a line of its own', { ...cited, path: 'a\r\n[2] b.ts' }],
    ['repository', { ...cited, repository: '\u001B]0;title\u0007shop' }],
    ['address', { ...cited, url: 'https://git.example.com/\u009B2J\u200B' }],
  ])('lets no %s move the cursor, recolour, reorder or forge a line', (_, hostile) => {
    const lines = answerInWords('See [1].', [hostile], plain).split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('lets the text quote nothing that does, either', () => {
    expect(answerInWords('\u001B[31mred\u001B[0m\tand\nnext', [], plain)).toBe('[31mred[0m\tand\nnext');
  });
});
