import { expect, it } from 'vitest';
import { parsePattern } from '../../../parse-pattern.ts';
import { digitBeyondAscii, reachOf } from './beyond-ascii.ts';

it.each([
  ['^func \\($', true, 'none'],
  ['[a-z]{2}(x|y)?', true, 'none'],
  ['\\d{4}-[0-9]', true, 'digits'],
  ['(?:v\\d|w)+', true, 'digits'],
  ['gettext', false, 'none'],
  ['ask', false, 'any'],
  ['[a-z]', false, 'any'],
  ['\\w', true, 'any'],
  ['[^a]', true, 'any'],
  ['a.b', true, 'any'],
  ['\\bif', true, 'any'],
  ['\\D', true, 'any'],
  ['[\\s\\d]', true, 'any'],
  ['é', true, 'any'],
])('returns the reach of %s (case-sensitive: %s): %s', (source, caseSensitive, reach) => {
  expect(reachOf(parsePattern(source, caseSensitive).ast, caseSensitive)).toBe(reach);
});

it('detects every non-ASCII digit in its bytes, and none in ASCII or in common non-ASCII text', () => {
  const missed: string[] = [];
  for (let code = 0x80; code < 0x110000; code++) {
    const character = String.fromCodePoint(code);
    if (!/\p{Nd}/u.test(character)) continue;
    if (!digitBeyondAscii.test(Buffer.from(character).toString('latin1'))) missed.push(character);
  }
  expect(missed).toEqual([]);
  for (const other of ['0123456789', 'é', '—', '✓', '漢', '😀']) {
    expect(digitBeyondAscii.test(Buffer.from(other).toString('latin1'))).toBe(false);
  }
});
