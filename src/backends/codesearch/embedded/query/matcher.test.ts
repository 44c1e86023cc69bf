import { isAscii, isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { words } from '../../whole-word.ts';
import { unitFlags } from '../format/segment-sections.ts';
import { literalMatcher, type Matcher, patternMatcher, wordMatcher } from './matcher.ts';
import { textArena } from './scan/text-arena.ts';
import { type SearchableText, textIn } from './text/searchable-text.ts';

const arena = textArena();
const literals = ['ab', 'Ab', 'ask', 'é', 'aé', '\u212a', 'ſ'];
const patterns = ['a.*b', 'retry.*a', 'k+b', 'ab|ba', '\\d-a', 'é.a', '^ab', 'b$'];

function matchers(caseSensitive: boolean): Matcher[] {
  return [
    ...literals.map((text) => literalMatcher({ kind: 'literal', text, caseSensitive, field: 'content' })),
    ...patterns.map((source) => patternMatcher({ kind: 'regex', source, caseSensitive, field: 'content' })),
  ];
}

/** Letters that fold beyond ASCII, digits of another script, and bytes that are not UTF-8. */
const pieces = [
  ...['a', 'b', 'A', 'B', 'ask', 'retry', 'K', '\u212a', 'ſ', 'é', 'É', '1', '٣', '-', '\n'].map((text) =>
    Buffer.from(text),
  ),
  Buffer.of(0xc3),
  Buffer.of(0xa9),
  Buffer.of(0xe2, 0x84),
];

it.each([true, false])(
  'reports a match in a text if and only if it finds one (case-sensitive: %s)',
  (cased) => {
    const all = matchers(cased);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const bytes = Buffer.concat(parts);
        const flags = (isAscii(bytes) ? unitFlags.ascii : 0) | (isUtf8(bytes) ? unitFlags.validUtf8 : 0);
        bytes.copy(arena.memory, 7);
        const text = textIn(arena.memory, 7, 7 + bytes.length, flags, arena);
        const held = all.map((matcher) => matcher.holds(text));
        expect(held).toEqual(all.map((matcher) => matcher.first(text, 0) !== undefined));
      }),
      { numRuns: 2000 },
    );
  },
);

it('finds a whole word where the words of a line are it, also next to bytes that are no text', () => {
  const parts = ['a', 'ab', 'b', '_', '1', ' ', '\n', '\r', 'é', '²', '\u{10400}'].map((part) =>
    Buffer.from(part),
  );
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts, Buffer.of(0xc3)), { maxLength: 12 }), (chosen) => {
      const bytes = Buffer.concat(chosen);
      const flags = (isAscii(bytes) ? unitFlags.ascii : 0) | (isUtf8(bytes) ? unitFlags.validUtf8 : 0);
      bytes.copy(arena.memory, 7);
      const text = textIn(arena.memory, 7, 7 + bytes.length, flags, arena);
      for (const word of ['a', 'ab', 'aé']) {
        const places = [...text.text().matchAll(words)].filter(([found]) => found === word);
        const lines = new Set(places.map(({ index }) => text.startOfLine(index)));
        expect(linesOf(wordMatcher(word), text)).toEqual([...lines]);
      }
    }),
    { numRuns: 2000 },
  );
});

function linesOf({ first }: Matcher, text: SearchableText): number[] {
  const lines: number[] = [];
  for (let from = 0; from === 0 || from <= text.length(); ) {
    const span = first(text, from);
    if (span === undefined) break;
    lines.push(text.startOfLine(span.start));
    from = text.endOfLine(span.end) + 1;
  }
  return lines;
}
