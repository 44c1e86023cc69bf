import { type AST, visitRegExpAST } from '@eslint-community/regexpp';
import { parsePattern } from '../../parse-pattern.ts';
import type { Query } from '../../port.ts';
import { isWholeWord, isWordCode } from '../../whole-word.ts';
import { type Engine, type LinePattern, v8Engine } from './pattern/engine.ts';
import { necessaryTexts, type Requirement, requireLiteral, requirePattern } from './pattern/requirement.ts';
import { type Needle, needleOf, rarityOf } from './scan/needle.ts';
import type { SearchableText } from './text/searchable-text.ts';
import type { Span } from './text/span.ts';

/** Finds one literal or pattern in text. Matches never span lines. */
export interface Matcher {
  /** The condition on the bytes of a unit, for the lookup of trigrams. */
  readonly requirement: Requirement;
  /** Byte strings of which every text with a match contains one; empty if none are known. */
  readonly needles: readonly Needle[];
  /**
   * Returns whether the text contains a match. Cheaper than `first`, since most non-ASCII text need not be decoded.
   */
  holds(text: SearchableText): boolean;
  /** Returns the first match that starts at or after `from`, which must be the start of a line. */
  first(text: SearchableText, from: number): Span | undefined;
}

/** Returns the matcher of a literal. Its `text` must be one well-formed line. */
export function literalMatcher(
  query: Extract<Query, { kind: 'literal' }>,
  engine: Engine = v8Engine,
): Matcher {
  const { text, caseSensitive } = query;
  const requirement = requireLiteral(text, caseSensitive);
  if (caseSensitive) {
    const needle = needleOf(Buffer.from(text), false);
    return { requirement, needles: [needle], holds: inBytes(needle), first: exactFinder(text, needle) };
  }
  const needle = isAsciiText(text) ? needleOf(Buffer.from(text), true) : undefined;
  const needles = needle === undefined || foldsBeyondAscii(needle) ? [] : [needle];
  const first = foldedFinder(needle, engine.literal(text));
  return {
    requirement,
    needles,
    holds: needles[0] === undefined ? hasFirst(first) : inBytes(needles[0]),
    first,
  };
}

/** Returns the matcher of a pattern. @throws InvalidInput */
export function patternMatcher(query: Extract<Query, { kind: 'regex' }>, engine: Engine = v8Engine): Matcher {
  const { ast, caseSensitive } = parsePattern(query.source, query.caseSensitive);
  const requirement = requirePattern(ast, caseSensitive);
  const pattern = engine.pattern(ast, caseSensitive);
  const texts = necessaryTexts(requirement);
  const needles = texts.map((bytes) => needleOf(Buffer.from(bytes, 'latin1'), !caseSensitive));
  const byLine = needles.length > 0 && !(isInManyLines(needles) && isBounded(ast));
  const first = byLine ? linesWith(needles, pattern) : wholeText(pattern);
  return {
    requirement,
    needles: needles.some(foldsBeyondAscii) ? [] : needles,
    holds: byLine ? lineHolds(needles, pattern, first) : hasFirst(first),
    first,
  };
}

/** Returns the matcher of a text as a whole word. Its `text` must be one well-formed line. */
export function wordMatcher(text: string): Matcher {
  const needle = needleOf(Buffer.from(text), false);
  const inAscii = wholeWordFinder(needle);
  const first: Finder = (searched, from) => {
    if (searched.ascii) return inAscii(searched, from);
    // Bytes first, as in `exactFinder`.
    return from > 0 || searched.find(needle, 0) >= 0 ? findWord(searched.text(), text, from) : undefined;
  };
  return { requirement: requireLiteral(text, true), needles: [needle], holds: hasFirst(first), first };
}

/** Returns a finder of a whole word in ASCII text. */
function wholeWordFinder(needle: Needle): Finder {
  const { length } = needle.bytes;
  return (searched, from) => {
    const end = searched.length();
    for (let at = searched.find(needle, from); at >= 0; at = searched.find(needle, at + 1)) {
      const after = at + length;
      const isInWord =
        (at > 0 && isWordCode(searched.codeAt(at - 1))) ||
        (after < end && isWordCode(searched.codeAt(after)));
      if (!isInWord) return { start: at, end: after };
    }
    return undefined;
  };
}

function findWord(text: string, word: string, from: number): Span | undefined {
  for (let start = text.indexOf(word, from); start >= 0; start = text.indexOf(word, start + 1)) {
    const end = start + word.length;
    if (isWholeWord(text, start, end)) return { start, end };
  }
  return undefined;
}

/**
 * Returns true if a needle is so short and common that most lines contain it. Finding it and slicing the line then
 * takes longer than running most patterns.
 */
function isInManyLines(needles: readonly Needle[]): boolean {
  return needles.some(({ bytes }) => rarityOf(bytes) < 1.9);
}

/**
 * Returns true if no quantifier is unbounded. An unbounded pattern such as `\w+=` tries every start to its end, so it
 * is worth running it on few lines only.
 */
function isBounded(pattern: AST.Pattern): boolean {
  let bounded = true;
  visitRegExpAST(pattern, {
    onQuantifierEnter: ({ max }) => {
      bounded &&= max !== Number.POSITIVE_INFINITY;
    },
  });
  return bounded;
}

type Finder = Matcher['first'];

function hasFirst(first: Finder): Matcher['holds'] {
  return (searched) => first(searched, 0) !== undefined;
}

/**
 * Returns a byte search. The bytes of whole UTF-8 characters occur only where the text contains the characters, even
 * among invalid bytes.
 */
function inBytes(needle: Needle): Matcher['holds'] {
  return (searched) => searched.find(needle, 0) >= 0;
}

function exactFinder(text: string, needle: Needle): Finder {
  return (searched, from) => {
    // Bytes first: most units contain no match, and this shows without decoding them.
    if (searched.ascii || from === 0) {
      const at = searched.find(needle, from);
      if (at < 0) return undefined;
      if (searched.ascii) return { start: at, end: at + needle.bytes.length };
    }
    const start = searched.text().indexOf(text, from);
    return start < 0 ? undefined : { start, end: start + text.length };
  };
}

/**
 * Returns a finder of a case-insensitive literal. In pure ASCII a byte search is sufficient; beyond ASCII, letters
 * with other bytes may fold to the same letter.
 */
function foldedFinder(needle: Needle | undefined, pattern: LinePattern): Finder {
  const find = wholeText(pattern);
  if (needle === undefined) return find;
  const mayDiffer = foldsBeyondAscii(needle);
  return (searched, from) => {
    if (searched.ascii || (from === 0 && !mayDiffer)) {
      const at = searched.find(needle, from);
      if (at < 0) return undefined;
      if (searched.ascii) return { start: at, end: at + needle.bytes.length };
    }
    return mayDiffer ? find(searched, from) : pattern.first(searched.text(), true, from);
  };
}

/**
 * Returns true if the needle contains k or s. U+212A is a case variant of k and U+017F one of s; no other ASCII
 * letter has a variant beyond ASCII.
 */
function foldsBeyondAscii({ bytes, anyCase }: Needle): boolean {
  return anyCase && /[ks]/i.test(bytes.toString('latin1'));
}

function isAsciiText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /^[\0-\x7f]*$/.test(text);
}

function wholeText(pattern: LinePattern): Finder {
  let checked: SearchableText | undefined;
  let isPlain = false;
  let holds = false;
  return (searched, from) => {
    if (searched.ascii) return pattern.first(searched.text(), true, from);
    if (checked !== searched) {
      checked = searched;
      const latin1 = pattern.isPlain === undefined ? '' : searched.bytes.toString('latin1');
      isPlain = pattern.isPlain?.(latin1) === true;
      // Most texts contain no match, and decoding them takes longer than this search.
      holds = isPlain && pattern.first(latin1, true, 0) !== undefined;
    }
    return isPlain && !holds ? undefined : pattern.first(searched.text(), isPlain, from);
  };
}

/** Returns a finder that runs the pattern only on lines that contain a needle. */
function linesWith(needles: readonly Needle[], pattern: LinePattern): Finder {
  const find = wholeText(pattern);
  const decides = !needles.some(foldsBeyondAscii);
  return (searched, from) => {
    if (!searched.ascii) {
      const holds = from > 0 || !decides || needles.some((needle) => searched.find(needle, 0) >= 0);
      return holds ? find(searched, from) : undefined;
    }
    for (let at = nearest(needles, searched, from); at >= 0; ) {
      const start = Math.max(from, searched.startOfLine(at));
      const end = searched.endOfLine(at);
      const match = pattern.first(searched.slice(start, end), true, 0);
      if (match !== undefined) return { start: match.start + start, end: match.end + start };
      at = nearest(needles, searched, end);
    }
    return undefined;
  };
}

/** Returns a test that decodes only those lines of non-ASCII text that contain a needle. */
function lineHolds(needles: readonly Needle[], pattern: LinePattern, first: Finder): Matcher['holds'] {
  const decides = !needles.some(foldsBeyondAscii);
  return (searched) => {
    if (searched.ascii || !decides) return first(searched, 0) !== undefined;
    for (let at = nearest(needles, searched, 0); at >= 0; ) {
      const line = searched.lineOfByte(at);
      if (pattern.first(line.text, false, 0) !== undefined) return true;
      at = nearest(needles, searched, line.end);
    }
    return false;
  };
}

function nearest(needles: readonly Needle[], searched: SearchableText, from: number): number {
  let best = -1;
  for (const needle of needles) {
    const at = searched.find(needle, from);
    if (at >= 0 && (best < 0 || at < best)) best = at;
  }
  return best;
}
