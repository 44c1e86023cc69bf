import type { AST } from '@eslint-community/regexpp';

/**
 * Prints a parsed pattern as JavaScript, so that V8 finds what ripgrep would find line by line:
 * nothing matches a newline, `.` matches everything else, `^` and `$` hold at newlines alone, and \w, \d, \s, \b are
 * those of Unicode (UTS 18). A match therefore never leaves its line, and whole units can be searched at once.
 *
 * Invalid bytes of UTF-8 are decoded as U+DC80 to U+DCFF (see `decode-text.ts`); no class may match them.
 */

const NEVER = '\\n\\u{DC80}-\\u{DCFF}';
const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';
const WORD_BOUNDARY = `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`;

/** V8 also tries empty matches between the halves of a surrogate pair; there nothing follows. */
const WHOLE_CHARACTER = '(?=[^]|$)';

/** For text with anything beyond ASCII. The flags are `v` and, for case-insensitive patterns, `i`. */
export function printUnicode(pattern: AST.Pattern): string {
  return printAlternatives(pattern.alternatives, {
    set: unicodeSet,
    wordBoundary: (negate) => (negate ? `(?!${WORD_BOUNDARY})${WHOLE_CHARACTER}` : WORD_BOUNDARY),
    ...V8_ANCHORS,
  });
}

/** For pure ASCII: every class as plain ranges, which V8 runs fastest. The flag is `i` or none. */
export function printAscii(pattern: AST.Pattern, caseSensitive: boolean): string {
  const rangesOf = asciiRangesOnce(caseSensitive);
  return printAlternatives(pattern.alternatives, {
    set: (node) =>
      node.type === 'Character' ? asciiCharacter(node.value, rangesOf) : rangesOf(unicodeSet(node)),
    wordBoundary: (negate) => (negate ? '\\B' : '\\b'),
    ...V8_ANCHORS,
  });
}

/** The same for RE2, with every class as ranges that V8 names, so that both mean the same by construction. */
export function printRe2(pattern: AST.Pattern, rangesOf: (set: string) => string): string {
  return printAlternatives(pattern.alternatives, {
    set: (node) => rangesOf(unicodeSet(node)),
    wordBoundary: (negate) => (negate ? '\\B' : '\\b'),
    lineStart: '^',
    lineEnd: '$',
  });
}

export function printRe2Literal(text: string, rangesOf: (set: string) => string): string {
  return Array.from(text, (character) => rangesOf(escapeOf(character.codePointAt(0)!))).join('');
}

/** A case-insensitive literal, as either of the two above would print it. */
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

const V8_ANCHORS = { lineStart: '(?<=^|\\n)', lineEnd: '(?=$|\\n)' };

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
  const most = quantifier.max === Number.POSITIVE_INFINITY ? '' : quantifier.max;
  return `{${quantifier.min},${most}}${quantifier.greedy ? '' : '?'}`;
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

function unicodeSet(node: SetNode): string {
  switch (node.type) {
    case 'Character':
      return escapeOf(node.value);
    case 'CharacterSet':
      return printCharacterSet(node);
    case 'CharacterClass':
      return node.negate
        ? `[^${node.elements.map(printMember).join('')}${NEVER}]`
        : `[[${node.elements.map(printMember).join('')}]--[${NEVER}]]`;
    case 'ExpressionCharacterClass':
      throw new RangeError('set operations are not parsed');
  }
}

function printMember(member: AST.CharacterClassElement): string {
  switch (member.type) {
    case 'Character':
      return escapeOf(member.value);
    case 'CharacterClassRange':
      return `${escapeOf(member.min.value)}-${escapeOf(member.max.value)}`;
    case 'CharacterSet':
      return printCharacterSet(member);
    case 'CharacterClass':
    case 'ClassStringDisjunction':
    case 'ExpressionCharacterClass':
      throw new RangeError('set operations are not parsed');
  }
}

function printCharacterSet(set: AST.CharacterSet): string {
  switch (set.kind) {
    case 'any':
      return `[^${NEVER}]`;
    case 'digit':
      return set.negate ? `[^\\p{Nd}${NEVER}]` : '\\p{Nd}';
    case 'space':
      return set.negate ? `[^\\p{White_Space}${NEVER}]` : '[\\p{White_Space}--[\\n]]';
    case 'word':
      return set.negate ? `[^${WORD}${NEVER}]` : `[${WORD}]`;
    case 'property':
      return `[[${set.raw}]--[${NEVER}]]`;
  }
}

function escapeOf(codePoint: number): string {
  return `\\u{${codePoint.toString(16)}}`;
}

/** Beyond ASCII only those count that fold into it (U+212A is a k of another case). */
function asciiCharacter(codePoint: number, rangesOf: (set: string) => string): string {
  return codePoint < 0x80 ? hexEscape(codePoint) : rangesOf(escapeOf(codePoint));
}

/** `asciiRanges`, once for each set of one pattern: every set costs a compilation of its own. */
function asciiRangesOnce(caseSensitive: boolean): (set: string) => string {
  const known = new Map<string, string>();
  return (set) => {
    const ranges = known.get(set) ?? asciiRanges(set, caseSensitive);
    known.set(set, ranges);
    return ranges;
  };
}

/** The ASCII characters that a set matches, as a class without flags of its own. */
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
