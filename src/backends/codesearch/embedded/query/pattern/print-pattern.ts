import type { AST } from '@eslint-community/regexpp';
import { namesCarriageReturn } from '../../../carriage-return.ts';
import { wordClass } from '../../../whole-word.ts';

/**
 * Prints a parsed pattern as JavaScript, so that V8 finds what ripgrep would find line by line: nothing matches a
 * newline, `.` matches everything else, `^` and `$` match at newlines only, and \w, \d, \s, \b are those of Unicode
 * (UTS 18). A match never extends beyond its line, so whole units can be searched at once.
 *
 * A line may end with CR LF (`carriage-return.ts`): `$` also matches before the CR, and no class matches a CR.
 *
 * Invalid UTF-8 bytes are decoded as U+DC80 to U+DCFF (see `text/decode-text.ts`); no class may match them.
 */

const neverMatched = '\\n\\u{DC80}-\\u{DCFF}';

/** Returns the class members that no class of the pattern may match. */
function neverIn(pattern: AST.Pattern): string {
  return namesCarriageReturn(pattern) ? neverMatched : `\\r${neverMatched}`;
}

const wordBoundaryPattern = `(?:(?<=[${wordClass}])(?![${wordClass}])|(?<![${wordClass}])(?=[${wordClass}]))`;

/** Excludes positions between the halves of a surrogate pair, where V8 also tries empty matches. */
const characterBoundary = '(?=[^]|$)';

/** Prints a pattern for non-ASCII text. The flags are `v` and, if it is case-insensitive, `i`. */
export function printUnicode(pattern: AST.Pattern): string {
  const never = neverIn(pattern);
  return printAlternatives(pattern.alternatives, {
    set: (node) => unicodeSet(node, never),
    wordBoundary: (negate) =>
      negate ? `(?!${wordBoundaryPattern})${characterBoundary}` : wordBoundaryPattern,
    ...v8Anchors(pattern),
  });
}

/**
 * Prints a pattern for pure ASCII text. Every class becomes plain ranges, which V8 runs fastest. The flag is `i` or
 * none.
 */
export function printAscii(pattern: AST.Pattern, caseSensitive: boolean): string {
  const rangesOf = asciiRangesOnce(caseSensitive);
  const never = neverIn(pattern);
  return printAlternatives(pattern.alternatives, {
    set: (node) =>
      node.type === 'Character' ? asciiCharacter(node.value, rangesOf) : rangesOf(unicodeSet(node, never)),
    wordBoundary: (negate) => (negate ? '\\B' : '\\b'),
    ...v8Anchors(pattern),
  });
}

/**
 * Prints a pattern for RE2. Every class becomes ranges computed by V8, so the pattern has the same meaning in both
 * engines.
 */
export function printRe2(pattern: AST.Pattern, rangesOf: (set: string) => string): string {
  const never = neverIn(pattern);
  return printAlternatives(pattern.alternatives, {
    set: (node) => rangesOf(unicodeSet(node, never)),
    wordBoundary: (negate) => (negate ? '\\B' : '\\b'),
    lineStart: '^',
    lineEnd: '$',
  });
}

export function printRe2Literal(text: string, rangesOf: (set: string) => string): string {
  return Array.from(text, (character) => rangesOf(escapeOf(character.codePointAt(0)!))).join('');
}

/** Prints a case-insensitive literal like `printUnicode` and like `printAscii`. */
export function printLiteral(text: string): { unicode: string; ascii: string } {
  const characters = Array.from(text, (character) => character.codePointAt(0)!);
  const rangesOf = asciiRangesOnce(false);
  return {
    unicode: characters.map(escapeOf).join(''),
    ascii: characters.map((character) => asciiCharacter(character, rangesOf)).join(''),
  };
}

type SetNode = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

interface Dialect {
  readonly set: (node: SetNode) => string;
  readonly wordBoundary: (negate: boolean) => string;
  readonly lineStart: string;
  readonly lineEnd: string;
}

function v8Anchors(pattern: AST.Pattern): Pick<Dialect, 'lineStart' | 'lineEnd'> {
  const lineEnd = namesCarriageReturn(pattern) ? '(?=$|\\n)' : '(?=\\r(?:$|\\n)|(?<!\\r)(?:$|\\n))';
  return { lineStart: '(?<=^|\\n)', lineEnd };
}

function printAlternatives(alternatives: readonly AST.Alternative[], dialect: Dialect): string {
  return alternatives
    .map((alternative) => alternative.elements.map((element) => printElement(element, dialect)).join(''))
    .join('|');
}

function printElement(element: AST.Element, dialect: Dialect): string {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return `(?:${printAlternatives(element.alternatives, dialect)})`;
    case 'Quantifier':
      return `(?:${printElement(element.element, dialect)})${printCount(element)}`;
    case 'Assertion':
      return printAssertion(element, dialect);
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return dialect.set(element);
    case 'Backreference':
      throw new RangeError('backreferences are refused when a pattern is parsed');
  }
}

function printCount(quantifier: AST.Quantifier): string {
  const max = quantifier.max === Number.POSITIVE_INFINITY ? '' : quantifier.max;
  return `{${quantifier.min},${max}}${quantifier.greedy ? '' : '?'}`;
}

function printAssertion(assertion: AST.Assertion, dialect: Dialect): string {
  switch (assertion.kind) {
    case 'start':
      return dialect.lineStart;
    case 'end':
      return dialect.lineEnd;
    case 'word':
      return dialect.wordBoundary(assertion.negate);
    case 'lookahead':
    case 'lookbehind':
      throw new RangeError('lookaround is refused when a pattern is parsed');
  }
}

function unicodeSet(node: SetNode, never: string): string {
  const members = (of: AST.CharacterClass): string =>
    of.elements.map((member) => printMember(member, never)).join('');
  switch (node.type) {
    case 'Character':
      return escapeOf(node.value);
    case 'CharacterSet':
      return printCharacterSet(node, never);
    case 'CharacterClass':
      return node.negate ? `[^${members(node)}${never}]` : `[[${members(node)}]--[${never}]]`;
    case 'ExpressionCharacterClass':
      throw new RangeError('set operations are not parsed');
  }
}

function printMember(member: AST.CharacterClassElement, never: string): string {
  switch (member.type) {
    case 'Character':
      return escapeOf(member.value);
    case 'CharacterClassRange':
      return `${escapeOf(member.min.value)}-${escapeOf(member.max.value)}`;
    case 'CharacterSet':
      return printCharacterSet(member, never);
    case 'CharacterClass':
    case 'ClassStringDisjunction':
    case 'ExpressionCharacterClass':
      throw new RangeError('set operations are not parsed');
  }
}

function printCharacterSet(set: AST.CharacterSet, never: string): string {
  switch (set.kind) {
    case 'any':
      return `[^${never}]`;
    case 'digit':
      return set.negate ? `[^\\p{Nd}${never}]` : '\\p{Nd}';
    case 'space':
      return set.negate ? `[^\\p{White_Space}${never}]` : `[\\p{White_Space}--[${never}]]`;
    case 'word':
      return set.negate ? `[^${wordClass}${never}]` : `[${wordClass}]`;
    case 'property':
      return `[[${set.raw}]--[${never}]]`;
  }
}

function escapeOf(codePoint: number): string {
  return `\\u{${codePoint.toString(16)}}`;
}

/**
 * Prints a character for ASCII text. A non-ASCII character matters only if it folds to ASCII (U+212A is a case
 * variant of k).
 */
function asciiCharacter(codePoint: number, rangesOf: (set: string) => string): string {
  return codePoint < 0x80 ? hexEscape(codePoint) : rangesOf(escapeOf(codePoint));
}

/** Returns `asciiRanges` with a cache for the sets of one pattern, since every set costs a compilation. */
function asciiRangesOnce(caseSensitive: boolean): (set: string) => string {
  const known = new Map<string, string>();
  return (set) => {
    const ranges = known.get(set) ?? asciiRanges(set, caseSensitive);
    known.set(set, ranges);
    return ranges;
  };
}

/** Returns the ASCII characters that a set matches, as a class that does not depend on flags. */
function asciiRanges(set: string, caseSensitive: boolean): string {
  const member = new RegExp(`^${set}$`, caseSensitive ? 'v' : 'iv');
  const matches = (code: number): boolean => code < 0x80 && member.test(String.fromCharCode(code));
  let ranges = '';
  for (let code = 0; code < 0x80; code++) {
    if (!matches(code)) continue;
    const first = code;
    while (matches(code + 1)) code++;
    ranges += first === code ? hexEscape(first) : `${hexEscape(first)}-${hexEscape(code)}`;
  }
  return `[${ranges}]`;
}

function hexEscape(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`;
}
