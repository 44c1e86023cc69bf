import { describe, expect, it } from 'vitest';
import { plainLine, plainText } from './plain-text.ts';

describe('plainText', () => {
  it.each([
    ['control characters', 'a\u0000\u001b[1mb\u007f', 'a[1mb'],
    ['bidirectional overrides and isolates', 'a\u202eb\u2066c\u2069', 'abc'],
    ['Unicode tags', 'a\u{E0069}\u{E0067}b', 'ab'],
    ['byte order marks', '\ufeffa\ufeff', 'a'],
    ['blank lines at the start, and white space at the end', ' \n\n    code\n\n \n', '    code'],
  ])('removes %s', (_, text, normalized) => {
    expect(plainText(text)).toBe(normalized);
  });

  it.each([
    ['CRLF', 'a\r\nb\rc\u2028d\u0085e', 'a\nb\nc\nd\ne'],
    ['NFD', 'e\u0301', '\u00e9'],
    ['half of a surrogate pair', 'a\ud83d', 'a\ufffd'],
  ])('normalizes %s', (_, text, normalized) => {
    expect(plainText(text)).toBe(normalized);
  });

  it('keeps emoji, joiners, direction marks and tabs', () => {
    const text = '👩‍💻 ❤️\n\tשלום\u200f عالم';
    expect(plainText(text)).toBe(text);
  });

  it('keeps 30 combining marks in a row, because normalization takes quadratic time on more', () => {
    const marks = '\u0301\u0323'.repeat(100_000);
    expect(plainText(`a${marks}b`)).toHaveLength('ạ'.length + 29 + 'b'.length);
    expect(plainText(plainText(`a${marks}b`))).toBe(plainText(`a${marks}b`));
  });
});

describe('plainLine', () => {
  it('writes one line with single blanks', () => {
    expect(plainLine('\n a \t\r\n b\u00a0\u2029c ')).toBe('a b c');
  });
});
