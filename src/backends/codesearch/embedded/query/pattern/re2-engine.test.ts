import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsePattern } from '../../../parse-pattern.ts';
import { v8Engine } from './engine.ts';
import { re2Engine } from './re2-engine.ts';

const pieces = [
  'x',
  'k',
  'S',
  'ß',
  'Ω',
  '日',
  '👍',
  '.',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  '\\S',
  '[a-z]',
  '[^a-z]',
  '[^\\r]',
  '[äk]',
  '\\p{L}',
  '^',
  '$',
  '\\r',
  'stop',
  '(?:x|ſt)',
  'bad.byte',
];
const lines = [
  '',
  'x',
  'stop ſtop STOP',
  '\u212aelvin kelvin',
  'Straße ÜBER',
  '日本語 👍🏽',
  'bad\udcffbyte',
  'tab\there\r',
  'x;\r',
  '\r',
  'x\rx\r\r',
  'return x; // TODO',
  'ΩMEGA ωmega',
  'İstanbul',
  '\u00a0',
];
const quantified = fc
  .tuple(fc.constantFrom(...pieces), fc.constantFrom('', '', '?', '*', '+', '{2}', '{1,3}', '+?'))
  .map(([piece, count]) => (/^[$^]$/.test(piece) ? piece : `(?:${piece})${count}`));
const sources = fc
  .array(fc.array(quantified, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 2 })
  .map((alternatives) => alternatives.map((sequence) => sequence.join('')).join('|'));
const texts = fc
  .array(fc.constantFrom(...lines), { minLength: 1, maxLength: 3 })
  .map((all) => all.join('\n'));

it('finds the same matches as V8, at the same offsets', () => {
  fc.assert(
    fc.property(sources, texts, fc.boolean(), (source, text, caseSensitive) => {
      const parsed = parsePattern(source, caseSensitive);
      const ascii = Buffer.from(text).length === text.length;
      const safe = re2Engine();
      const found = safe.pattern(parsed.ast, parsed.caseSensitive).first(text, ascii, 0);
      expect(found).toEqual(v8Engine.pattern(parsed.ast, parsed.caseSensitive).first(text, ascii, 0));
      expect(safe.hasSkippedLines()).toBe(false);
    }),
    { numRuns: 60 },
  );
});

it('starts at the given offset', () => {
  const { ast } = parsePattern('^\\w+', true);
  expect(re2Engine().pattern(ast, true).first('one\ntwo\n', true, 4)).toEqual({ start: 4, end: 7 });
});

it('finds a literal case-insensitively', () => {
  expect(re2Engine().literal('kelvin').first('a \u212aELVIN', false, 0)).toEqual({ start: 2, end: 8 });
});

it('reports that it skipped a line where its word boundaries differ from those of Unicode', () => {
  const { ast } = parsePattern('\\bstop\\b', true);
  const safe = re2Engine();
  const pattern = safe.pattern(ast, true);
  expect(pattern.first('ab\nstop', false, 0)).toEqual({ start: 3, end: 7 });
  expect(safe.hasSkippedLines()).toBe(false);
  expect(pattern.first('ſ stop\nstop', false, 0)).toEqual({ start: 7, end: 11 });
  expect(safe.hasSkippedLines()).toBe(true);
});

it('terminates where V8 would not', () => {
  const { ast } = parsePattern('(x+x+)+y', true);
  expect(re2Engine().pattern(ast, true).first('x'.repeat(60), true, 0)).toBeUndefined();
});
