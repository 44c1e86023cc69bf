import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompiledLanguage, compileLanguage, STARTS, WORD_BYTE } from './compile-rules.ts';
import { symbolRules } from './languages.ts';
import { ROW, START_BITS } from './line-module.ts';
import { openLineScanner } from './line-scanner.ts';

/** The same, said plainly: where a line begins behind its blanks, where it ends, and the rules of its first word. */
function linesOf(language: CompiledLanguage, text: Buffer): unknown[] {
  const lines: unknown[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    let first = start;
    while (first < end && (text[first] === 0x20 || text[first] === 0x09)) first++;
    const starts = first < end ? language.starts[text[first]!]! : 0;
    let behind = first + 1;
    if ((starts & STARTS.lone) === 0) while (behind < end && WORD_BYTE[text[behind]!] === 1) behind++;
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
      for (let row = 0; row < rows.length; row += ROW.length) {
        const begins = rows[row + ROW.begins]!;
        const slot = begins >>> START_BITS;
        lines.push([
          rows[row + ROW.first],
          rows[row + ROW.end],
          rows[row + ROW.indent],
          begins & ((1 << START_BITS) - 1),
          slot === 0 ? undefined : slot - 1,
        ]);
      }
    }
    return lines;
  };

  it('are those of a plain reading, whatever the bytes are', () => {
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

  it('are the same of text that is looked at in parts', () => {
    const text = Buffer.from('  class A {\n\tfn b\n}\n'.repeat(120_000));
    expect(scanned(languages[0]!, text)).toEqual(linesOf(languages[0]!, text));
  });
});
