import { describe, expect, it } from 'vitest';
import { printAscii, printUnicode } from './embedded/query/pattern/print-pattern.ts';
import { parsePattern } from './parse-pattern.ts';

/** Returns which ASCII characters and a few others a pattern of one character matches. */
function found(source: string, caseSensitive = true): string {
  const { ast } = parsePattern(source, caseSensitive);
  const flags = caseSensitive ? '' : 'i';
  const unicode = new RegExp(`^(?:${printUnicode(ast)})$`, `v${flags}`);
  const ascii = new RegExp(`^(?:${printAscii(ast, caseSensitive)})$`, flags);
  const characters = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code));
  expect(characters.filter((each) => unicode.test(each))).toEqual(
    characters.filter((each) => ascii.test(each)),
  );
  return [...characters, 'é', 'λ', '\u017f', '\u212a'].filter((each) => unicode.test(each)).join('');
}

function errorOf(source: string, caseSensitive = true): string {
  try {
    parsePattern(source, caseSensitive);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('a pattern with RE2 syntax has the meaning of RE2', () => {
  it.each([
    ['\\x{66}oo', 'foo', 'xxoo'],
    ['\\x{1F600}\\u{41}', '😀A', 'x'],
    ['\\pL\\PL', 'λ1', '1λ'],
    ['\\p{Greek}\\P{Greek}\\p{^Greek}', 'λaa', 'aaa'],
    ['[\\p{Greek}x]+', 'λx', 'p'],
    ['[]a]x', ']x', '[]'],
    ['[^]a]x', 'bx', ']x'],
    ['(?P<name>f)(?<name>o)o', 'foo', 'fo'],
    ['(?s)f.o(?s:.)', 'fooo', 'foo'],
    ['(?im)FOO', 'foo', 'fo'],
    ['\\Afoo\\z', 'foo', 'fo'],
    ['\\Qf.o\\E+', 'f.oo', 'fooo'],
    ['\\Qf(', 'f(', 'f'],
    ['[^\\n]oo', 'foo', '\noo'],
    ['[^\\x00-\\n]oo', 'foo', '\noo'],
    ['func() {', 'func {', 'func() {'],
    ['a{}b{1c}d]', 'a{}b{1c}d]', 'a'],
    ['\\"\\-\\#\\_', '"-#_', '\\"'],
    ['[\\w-.]+[a-\\d]', 'a-.-', '/'],
    ['[[:alpha:]-]+', 'a-', '_'],
    ['\\a', '\x07', 'a'],
  ])('%s', (source, text, other) => {
    const { ast, caseSensitive } = parsePattern(source, true);
    const printed = new RegExp(`^(?:${printUnicode(ast)})$`, caseSensitive ? 'v' : 'vi');
    expect(printed.test(text)).toBe(true);
    expect(printed.test(other)).toBe(false);
  });

  it.each([
    ['[[:alpha:]]', letters],
    ['[[:upper:][:digit:]]', `0123456789${letters.slice(0, 26)}`],
    ['[[:space:]]', '\t\v\f\r '],
    ['[[:punct:]]', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
    ['[[:word:]]', `0123456789${letters.slice(0, 26)}_${letters.slice(26)}`],
    ['[^[:^xdigit:]]', '0123456789ABCDEFabcdef'],
    ['[^[:print:][:cntrl:]]', 'éλ\u017f\u212a'],
    ['[[:^ascii:]]', 'éλ\u017f\u212a'],
  ])('%s matches ASCII characters only', (source, characters) => {
    expect(found(source)).toBe(characters);
  });

  it('folds the case of a named class before it is complemented', () => {
    expect(found('[[:lower:]]', false)).toBe(`${letters}\u017f\u212a`);
    expect(found('[^[:^lower:]]', false)).toBe(`${letters}\u017f\u212a`);
    expect(found('[[:^ascii:]]', false)).toBe('éλ');
  });
});

describe('a pattern with unsupported syntax', () => {
  it.each([
    ['x\\C', 'contains \\C, which is not supported; write . for a character (column 2 of the pattern)'],
    ['\\<x', 'write \\b for the edge of a word, < for the character (column 1'],
    ['[\\b]', 'write \\x08 for a backspace (column 2'],
    ['[[:alfa:]]', 'names the unknown class [:alfa:]; the classes are alnum, alpha'],
    ['[a-z&&[^b]]', 'write & once (column 5'],
    ['x{,3}', 'write {0,3} or \\{,3} (column 2'],
    ['\\x{110000}', 'contains \\x{110000}, which is not a character'],
    ['\\p{Klingon}', 'uses \\p{Klingon}, which is not a category or script'],
    ['a(?i:b)', 'sets flags after its start; put (?i) at the start, or use case:no'],
    ['(?x)a b', 'sets the flag x'],
    ['[]a', 'opens a character class without closing it; to find the bracket, write \\[ (column 1'],
    ['[[:alpha:]', 'opens a character class without closing it'],
    ['a\\1', 'uses a backreference'],
    ['(?<=a)b', 'uses lookaround'],
    ['\\x{a}', 'contains a newline'],
    ['[a\\n]', 'contains a newline'],
    ['\\Qa.\\E\\pL(', 'is not a valid regular expression: Unterminated group (column 11 of the pattern)'],
    ['(?i)a**', 'is not a valid regular expression: Nothing to repeat (column 8 of the pattern)'],
  ])('%s is refused with an alternative', (source, problem) => {
    expect(errorOf(source)).toContain(`The pattern ${problem}`.replace('The pattern write', 'write'));
  });

  it('accepts flags that change nothing', () => {
    expect(errorOf('a(?i:b)', false)).toBe('no error');
    expect(errorOf('a(?-i:b)', true)).toBe('no error');
    expect(errorOf('a(?-i:b)', false)).toContain('sets flags after its start');
  });
});
