import fc from 'fast-check';
import type { Query } from '../../../src/backends/codesearch/port.ts';

/** A query of one term that ripgrep supports, too. */
export type Term = Extract<Query, { kind: 'literal' | 'regex' }>;

/** The material of queries: text that occurs in files, and words. */
export interface QuerySource {
  /** Lines, or parts of lines, that occur in files. */
  readonly lines: fc.Arbitrary<string>;
  readonly words: fc.Arbitrary<string>;
}

/** Generates random substrings of lines with up to `max` characters, including punctuation. */
export function cutText(lines: fc.Arbitrary<string>, max = 12): fc.Arbitrary<string> {
  return fc.tuple(lines, fc.nat(200), fc.integer({ min: 1, max })).map(([line, from, length]) => {
    const characters = Array.from(line);
    return characters
      .slice(from % characters.length)
      .slice(0, length)
      .join('');
  });
}

export function literalTerms({ lines, words }: QuerySource): fc.Arbitrary<Term> {
  return fc
    .tuple(fc.oneof(cutText(lines), words, fc.string({ minLength: 1, maxLength: 3 })), fc.boolean())
    .filter(([text]) => text !== '' && !/[\n\0]/.test(text))
    .map(([text, caseSensitive]) => ({ kind: 'literal', text, caseSensitive, field: 'content' }));
}

/** Generates random compositions of all syntax elements. */
export function composedTerms({ lines, words }: QuerySource): fc.Arbitrary<Term> {
  const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
    piece: fc.oneof(
      { weight: 4, arbitrary: words.map(escapePattern) },
      { weight: 2, arbitrary: cutText(lines).map(escapePattern) },
      fc.constantFrom(...syntax),
      // Nested repetition takes exponential time and would end at the deadline without a result.
      tie('piece').map((inner) => (/[+{]|^\\[bBAz]$|^[$^]$/.test(inner) ? inner : `(?:${inner})+`)),
      tie('piece').map((inner) => `(?:${inner})?`),
      tie('piece').map((inner) => (/[+{]/.test(inner) ? inner : `(?:${inner}){1,3}`)),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
    ),
    pattern: fc
      .array(tie('piece'), { minLength: 1, maxLength: 4, size: 'small' })
      .map((pieces) => pieces.join('')),
  }));
  return asTerms(pattern);
}

/** Generates patterns as people write them: two parts of a line with a gap, its start or end, alternatives, classes. */
export function likelyTerms({ lines }: QuerySource): fc.Arbitrary<Term> {
  const part = cutText(lines, 8).map(escapePattern);
  const parts = fc
    .tuple(lines, fc.nat(60), fc.nat(60), fc.integer({ min: 2, max: 8 }))
    .map(([line, from, gap, length]): [string, string] => {
      const characters = Array.from(line);
      const start = from % characters.length;
      const cut = (at: number): string => escapePattern(characters.slice(at).slice(0, length).join(''));
      return [cut(start), cut(start + length + gap)];
    });
  const joint = fc.constantFrom('.*', '.*?', '\\s*', '\\W+', '[^(]*', '.{0,20}', '\\w*', '|', '.+');
  return asTerms(
    fc.oneof(
      fc.tuple(parts, joint).map(([[left, right], between]) => `${left}${between}${right}`),
      part.map((text) => `^\\s*${text}`),
      part.map((text) => `${text}\\s*$`),
      part.map((text) => `\\b${text}\\b`),
      part.map((text) => `^(?P<indent>[[:blank:]]*)${text}`),
      fc.tuple(part, part, part).map(([a, b, c]) => `${a}(${b}|${c})`),
      fc.tuple(part, part, part).map((all) => `(${all.join('|')})`),
      cutText(lines, 16).map(withClasses),
      fc
        .tuple(part, fc.constantFrom('?', '*', '+', '{2}', '{1,3}'))
        .map(([text, count]) => `(${text})${count}\\w`),
    ),
  );
}

/** Replaces digits by `\d` and so on; the remaining text keeps its trigrams. */
function withClasses(text: string): string {
  return escapePattern(text)
    .replace(/\d+/g, '\\d+')
    .replace(/\s+/g, '\\s+')
    .replace(/[A-Z]/g, (letter) => `[A-Z${letter.toLowerCase()}]`);
}

function asTerms(patterns: fc.Arbitrary<string>): fc.Arbitrary<Term> {
  return fc
    .tuple(patterns, fc.boolean())
    .filter(([source]) => source !== '' && source.length < 200 && !/[\n\0]/.test(source))
    .map(([source, caseSensitive]) => ({ kind: 'regex', source, caseSensitive, field: 'content' }));
}

const syntax = [
  '.',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  '\\S',
  '[a-z]',
  '[^a-z]',
  '[Rr]',
  '[äöü日k]',
  '[^\\W]',
  '\\p{L}',
  '\\b',
  '^',
  '$',
  '[\\s\\d]',
  // Syntax of RE2 that JavaScript lacks or interprets differently. Not \\A, \\z and \\B: with --crlf, ripgrep 13 reads the
  // first two as ends of a buffer, and ends with a panic for \\B next to $.
  '\\x{72}',
  '\\pL',
  '\\p{Greek}',
  '(?s)',
  '(?s:.)',
  '[^\\n]',
  '[]r(]',
  '[^]r(]',
  '[[:alpha:]]',
  '[[:upper:]_]',
  '[[:^space:]]',
  '[[:^lower:]]',
  '[^[:^word:]]',
];

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
