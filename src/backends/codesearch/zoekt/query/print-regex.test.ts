import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import { parsePattern } from '../../parse-pattern.ts';
import { printRegex, printText } from './print-regex.ts';

function print(source: string): string {
  return printRegex(parsePattern(source, true).ast);
}

/** Converts a class in Go syntax to JavaScript. */
function asJavaScript(printed: string): RegExp {
  const source = printed
    .replaceAll(/\\x\{([0-9A-F]+)\}/g, '\\u{$1}')
    .replaceAll(/\\p\{(\w+)\}/g, '\\p{General_Category=$1}');
  return new RegExp(`^(?:${source})$`, 'u');
}

function differences(printed: string, wanted: RegExp): string[] {
  const found: string[] = [];
  const own = asJavaScript(printed);
  for (let code = 0; code <= 0x10ffff; code++) {
    if ((code >= 0xd800 && code < 0xe000) || code === 0x0a || code === 0x0d || code === 0xfffd) continue;
    const character = String.fromCodePoint(code);
    if (own.test(character) !== wanted.test(character)) found.push(code.toString(16));
  }
  return found;
}

describe('a pattern in the syntax of Go', () => {
  it.each([
    ['a.b', 'a[^\\n\\r\\x{FFFD}]b'],
    ['a.\\r$', 'a[^\\n\\x{FFFD}]\\x{D}(?m:$)'],
    ['(a|b)+?', '(?:(?:a|b)){1,}?'],
    ['^x{2,3}$', '(?m:^)(?:x){2,3}(?:\\r?(?m:$))'],
    ['\\bx\\B', '\\bx\\B'],
    ['[^a-c]', '[^\\x{61}-\\x{63}\\n\\r\\x{FFFD}]'],
    ['[\\x00-\\x7f]', '(?:[\\x{0}-\\x{9}\\x{B}-\\x{C}\\x{E}-\\x{7F}])'],
    ['[\\]\\-\\^]', '(?:[\\x{5D}-\\x{5D}\\x{2D}-\\x{2D}\\x{5E}-\\x{5E}])'],
    ['\\p{Lu}\\P{Script=Greek}', '[\\p{Lu}][^\\p{Greek}\\n\\r\\x{FFFD}]'],
    ['a"\\\\(b', undefined],
  ])('%s', (source, printed) => {
    if (printed === undefined) expect(() => print(source)).toThrow(InvalidInput);
    else expect(print(source)).toBe(printed);
  });

  it('prints \\w, \\d and \\s as Unicode classes', () => {
    expect(differences(print('\\w'), /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u)).toEqual([]);
    expect(differences(print('\\d'), /^\p{Nd}$/u)).toEqual([]);
    expect(differences(print('\\s'), /^\p{White_Space}$/u)).toEqual([]);
    expect(
      differences(print('[\\W\\d]'), /^(?:\p{Nd}|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}])$/u),
    ).toEqual([]);
    expect(differences(print('[^\\W]'), /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u)).toEqual([]);
  });

  it('never matches a newline, nor a CR that it does not name', () => {
    for (const source of [
      '\\s',
      '\\W',
      '\\D',
      '[^a]',
      '[\\s\\S]',
      '[\\x00-\\x7f]',
      '.',
      '\\P{L}',
      '[^\\n]',
    ]) {
      expect(asJavaScript(print(source)).test('\n'), source).toBe(false);
      expect(asJavaScript(print(source)).test('\r'), source).toBe(false);
    }
    expect(asJavaScript(print('\\r')).test('\r')).toBe(true);
    expect(asJavaScript(print('[\\r\\s]')).test('\r')).toBe(true);
  });

  it('refuses syntax that Go cannot express, with an alternative', () => {
    expect(() => print('[^\\W_]')).toThrow(/write the class out/);
    expect(() => print('\\p{Emoji}')).toThrow(/which Zoekt does not support/);
    expect(() => print('\\p{Alphabetic}')).toThrow(/which Zoekt does not support/);
  });

  it('matches nothing for an empty class', () => {
    expect(asJavaScript(print('[\\uFFFD]')).test('\uFFFD')).toBe(false);
  });

  it('escapes special characters of a text', () => {
    expect(printText('a b_9')).toBe('a b_9');
    expect(printText('("\\)*é\n')).toBe('\\x{28}\\x{22}\\x{5C}\\x{29}\\x{2A}\\x{E9}\\x{A}');
  });
});
