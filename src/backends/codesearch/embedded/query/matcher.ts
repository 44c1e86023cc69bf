import { type AST, visitRegExpAST } from '@eslint-community/regexpp';
import { parsePattern } from '../../parse-pattern.ts';
import type { Query } from '../../port.ts';
import { type Engine, type LinePattern, v8Engine } from './pattern/engine.ts';
import { necessaryTexts, type Requirement, requireLiteral, requirePattern } from './pattern/requirement.ts';
import { type Needle, needleOf, rarityOf } from './scan/needle.ts';
import type { SearchableText } from './searchable-text.ts';
import type { Span } from './span.ts';

/** Finds one literal or pattern in text. Never across lines. */
export interface Matcher {
  /** What the bytes must hold, for the trigrams. */
  readonly requirement: Requirement;
  /** Byte strings of which every text with a match holds one; none where nothing is known. */
  readonly needles: readonly Needle[];
  /** Whether the text has a match: cheaper than to say where, since most text beyond ASCII need not be decoded for it. */
  holds(text: SearchableText): boolean;
  /** The first match that starts at or after `from`, which is the start of a line. */
  first(text: SearchableText, from: number): Span | undefined;
}

/** `text` is one well-formed line. */
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

/** @throws InvalidInput */
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

/** A letter or so, that stands in most lines: to look for it and cut the line takes longer than to run most patterns. */
function isInManyLines(needles: readonly Needle[]): boolean {
  return needles.some(({ bytes }) => rarityOf(bytes) < 1.9);
}

/** Of what may go on and on, `\w+=`, every beginning is tried to its end; there a look at few lines is worth it. */
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

/** Whole characters of UTF-8 stand nowhere but where the text has them, among invalid bytes too. */
function inBytes(needle: Needle): Matcher['holds'] {
  return (searched) => searched.find(needle, 0) >= 0;
}

function exactFinder(text: string, needle: Needle): Finder {
  return (searched, from) => {
    // Bytes first: most units hold no match, and need no decoding to see it.
    if (searched.ascii || from === 0) {
      const at = searched.find(needle, from);
      if (at < 0) return undefined;
      if (searched.ascii) return { start: at, end: at + needle.bytes.length };
    }
    const start = searched.text().indexOf(text, from);
    return start < 0 ? undefined : { start, end: start + text.length };
  };
}

/** A literal in any case. In pure ASCII the bytes say it all; beyond it letters fold that have other bytes. */
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

/** U+212A is a k of another case and U+017F an s; no other letter of ASCII has one beyond it. */
function foldsBeyondAscii({ bytes, anyCase }: Needle): boolean {
  return anyCase && /[ks]/i.test(bytes.toString('latin1'));
}

function isAsciiText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /^[\0-\x7f]*$/.test(text);
}

function wholeText(pattern: LinePattern): Finder {
  let judged: SearchableText | undefined;
  let isPlain = false;
  let holds = false;
  return (searched, from) => {
    if (searched.ascii) return pattern.first(searched.text(), true, from);
    if (judged !== searched) {
      judged = searched;
      const latin1 = pattern.isPlain === undefined ? '' : searched.bytes.toString('latin1');
      isPlain = pattern.isPlain?.(latin1) === true;
      // Most hold no match, and to decode them takes longer than to look for it.
      holds = isPlain && pattern.first(latin1, true, 0) !== undefined;
    }
    return isPlain && !holds ? undefined : pattern.first(searched.text(), isPlain, from);
  };
}

/** Runs the pattern over those lines alone that hold one of the texts of which every match holds one. */
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

/** Of text beyond ASCII those lines alone are decoded that hold one of the texts. */
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
