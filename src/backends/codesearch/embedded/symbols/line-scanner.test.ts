import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompiledLanguage, compileLanguage, startFlags, wordByte } from './compile-rules.ts';
import { symbolRules } from './languages.ts';
import { rowFields, startBits } from './line-module.ts';
import { openLineScanner } from './line-scanner.ts';

/**
 * A simple reference implementation: the offsets after the indentation and of the end, the indentation, the start
 * flags, and the slot of the first word.
 */
function linesOf(language: CompiledLanguage, text: Buffer): unknown[] {
  const lines: unknown[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    let first = start;
    while (first < end && (text[first] === 0x20 || text[first] === 0x09)) first++;
    const starts = first < end ? language.starts[text[first]!]! : 0;
    let behind = first + 1;
    if ((starts & startFlags.lone) === 0) while (behind < end && wordByte[text[behind]!] === 1) behind++;
    let hash = 0;
    for (const byte of text.subarray(first, behind)) hash = (Math.imul(hash, 31) + byte) | 0;
    const slot = starts === 0 ? -1 : language.hashes.indexOf(hash);
    lines.push([first, end, first - start, starts, slot < 0 || hash === 0 ? undefined : slot]);
    start = end + 1;
  }
  return lines;
}

describe('the lines of a text', () => {
  const scanner = openLineScanner();
  const languages = ['TypeScript', 'Python', 'C', 'Rust'].map((name) => compileLanguage(symbolRules[name]!));
  const scanned = (language: CompiledLanguage, text: Buffer): unknown[] => {
    scanner.begin(language, text);
    const lines: unknown[] = [];
    for (let rows = scanner.next(); rows.length > 0; rows = scanner.next()) {
      for (let row = 0; row < rows.length; row += rowFields.length) {
        const begins = rows[row + rowFields.begins]!;
        const slot = begins >>> startBits;
        lines.push([
          rows[row + rowFields.first],
          rows[row + rowFields.end],
          rows[row + rowFields.indent],
          begins & ((1 << startBits) - 1),
          slot === 0 ? undefined : slot - 1,
        ]);
      }
    }
    return lines;
  };

  it('match the reference implementation for any bytes', () => {
    const piece = fc.constantFrom(
      '\n',
      ' ',
      '\t',
      '\r',
      'class',
      'function',
      'def',
      'fn',
      'struct',
      '}',
      '#',
      '@',
      '$a',
      '_',
      '0',
      'é',
      '/*',
      '"""',
      '=',
    );
    fc.assert(
      fc.property(fc.constantFrom(...languages), fc.array(piece, { maxLength: 60 }), (language, parts) => {
        const text = Buffer.from(parts.join(''));
        expect(scanned(language, text)).toEqual(linesOf(language, text));
      }),
      { numRuns: 2000 },
    );
  });

  it('match the reference implementation for text that is scanned in parts', () => {
    const text = Buffer.from('  class A {\n\tfn b\n}\n'.repeat(120_000));
    expect(scanned(languages[0]!, text)).toEqual(linesOf(languages[0]!, text));
  });
});
