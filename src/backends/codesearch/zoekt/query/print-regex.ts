import type { AST } from '@eslint-community/regexpp';
import { invalidField } from '../../../../foundation/kernel/wire/invalid-field.ts';
import { namesCarriageReturn } from '../../carriage-return.ts';

/**
 * Prints a parsed pattern in the syntax of Go's `regexp`, so that Zoekt finds what the embedded index would: nothing
 * matches a newline, `.` matches everything else, and \w, \d and \s are those of Unicode (UTS 18), which are ASCII in
 * Go. Go reads invalid UTF-8 as U+FFFD, so no class matches that. A line may end with CR LF (`carriage-return.ts`):
 * `$` includes the CR, and no class matches it.
 *
 * `\b` stays ASCII: RE2 has no other word boundary, and no lookaround to express one.
 */
export function printRegex(pattern: AST.Pattern): string {
  return printAlternatives(pattern.alternatives, namesCarriageReturn(pattern) ? plain : crlf);
}

/** Escapes a text so that a pattern matches it literally. */
export function printText(text: string): string {
  return Array.from(text, (character) => characterOf(character.codePointAt(0)!)).join('');
}

/** The parts of a pattern that differ if a CR is part of the line end. */
interface LineEnds {
  readonly lineEnd: string;
  /** Class members for the characters that no class may match, and their code points in order. */
  readonly never: string;
  readonly gaps: readonly number[];
  /** White_Space without the characters that no class may match. */
  readonly space: string;
}
/**
 * Alphabetic, M, Nd, Pc and Join_Control (UTS 18 annex C). Go has no Alphabetic, which is L, Nl, most of M and these
 * ranges.
 */
const alphabetic = String.raw`\p{L}\p{Nl}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}`;
const word = String.raw`${alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}`;
const digit = String.raw`\p{Nd}`;
const otherSpace = String.raw`\t\x{B}\f \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}`;

const plain: LineEnds = {
  lineEnd: '(?m:$)',
  never: String.raw`\n\x{FFFD}`,
  gaps: [0x0a, 0xfffd],
  space: String.raw`${otherSpace}\r`,
};
const crlf: LineEnds = {
  lineEnd: String.raw`(?:\r?(?m:$))`,
  never: String.raw`\n\r\x{FFFD}`,
  gaps: [0x0a, 0x0d, 0xfffd],
  space: otherSpace,
};

function printAlternatives(alternatives: readonly AST.Alternative[], ends: LineEnds): string {
  return alternatives
    .map(({ elements }) => elements.map((element) => printElement(element, ends)).join(''))
    .join('|');
}

function printElement(element: AST.Element, ends: LineEnds): string {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return `(?:${printAlternatives(element.alternatives, ends)})`;
    case 'Quantifier':
      return `(?:${printElement(element.element, ends)})${printCount(element)}`;
    case 'Assertion':
      return printAssertion(element, ends);
    case 'Character':
      return characterOf(element.value);
    case 'CharacterSet':
      return printSet(element, ends);
    case 'CharacterClass':
      return printClass(element, ends);
    case 'ExpressionCharacterClass':
    case 'Backreference':
      throw new RangeError(`${element.type} is rejected by the parser`);
  }
}

function printCount({ min, max, greedy }: AST.Quantifier): string {
  return `{${min},${max === Number.POSITIVE_INFINITY ? '' : max}}${greedy ? '' : '?'}`;
}

function printAssertion(assertion: AST.Assertion, ends: LineEnds): string {
  switch (assertion.kind) {
    case 'start':
      return '(?m:^)';
    case 'end':
      return ends.lineEnd;
    case 'word':
      return assertion.negate ? String.raw`\B` : String.raw`\b`;
    case 'lookahead':
    case 'lookbehind':
      throw new RangeError('lookaround is rejected by the parser');
  }
}

function printSet(set: AST.CharacterSet, ends: LineEnds): string {
  const { members, negate } = membersOf(set, ends);
  return negate ? `[^${members}${ends.never}]` : `[${members}]`;
}

/** Prints a class. Go only has the union of members, so negated members become separate alternatives. */
function printClass({ elements, negate }: AST.CharacterClass, ends: LineEnds): string {
  const members: string[] = [];
  const negated: string[] = [];
  for (const element of elements) {
    if (element.type === 'Character') members.push(rangeOf(element.value, element.value, ends));
    else if (element.type === 'CharacterClassRange')
      members.push(rangeOf(element.min.value, element.max.value, ends));
    else if (element.type === 'CharacterSet') {
      const set = membersOf(element, ends);
      (set.negate ? negated : members).push(set.members);
    } else throw new RangeError('set operations are not parsed');
  }
  const union = members.join('');
  if (!negate) {
    const parts = [
      ...(union === '' ? [] : [`[${union}]`]),
      ...negated.map((set) => `[^${set}${ends.never}]`),
    ];
    return parts.length === 0 ? nothing : `(?:${parts.join('|')})`;
  }
  const [only, ...others] = negated;
  if (only === undefined) return `[^${union}${ends.never}]`;
  if (others.length === 0 && union === '') return `[${only}]`;
  throw refuse(
    String.raw`excludes characters from a negated class ([^\W_]), which Zoekt does not support; write the class out`,
  );
}

/** The empty class matches nothing. */
const nothing = String.raw`[^\x{0}-\x{10FFFF}]`;

interface SetMembers {
  /** The members as written between brackets. */
  readonly members: string;
  readonly negate: boolean;
}

function membersOf(set: AST.CharacterSet, ends: LineEnds): SetMembers {
  switch (set.kind) {
    case 'any':
      return { members: '', negate: true };
    case 'digit':
      return { members: digit, negate: set.negate };
    case 'space':
      return { members: ends.space, negate: set.negate };
    case 'word':
      return { members: word, negate: set.negate };
    case 'property':
      return { members: propertyOf(set, ends), negate: set.negate };
  }
}

function propertyOf(set: AST.UnicodePropertyCharacterSet, ends: LineEnds): string {
  const { key, value } = set;
  if (key === 'Script' || key === 'sc') return `\\p{${value ?? ''}}`;
  const name = value ?? key;
  if (name === 'White_Space' || name === 'space') return ends.space;
  const category = /^[CLMNPSZ][a-z]?$/.test(name) ? name : categories.get(name);
  if (category !== undefined) return `\\p{${category}}`;
  throw refuse(`uses ${set.raw}, which Zoekt does not support; use a general category such as \\p{Lu}`);
}

const categories: ReadonlyMap<string, string> = new Map([
  ['Letter', 'L'],
  ['Lowercase_Letter', 'Ll'],
  ['Uppercase_Letter', 'Lu'],
  ['Mark', 'M'],
  ['Number', 'N'],
  ['Decimal_Number', 'Nd'],
  ['Punctuation', 'P'],
  ['Symbol', 'S'],
  ['Separator', 'Z'],
]);

/** Prints a range of a class, without the characters that no class may match. */
function rangeOf(from: number, to: number, ends: LineEnds): string {
  const gaps = ends.gaps.filter((gap) => from <= gap && gap <= to);
  let range = '';
  let start = from;
  for (const gap of gaps) {
    if (start < gap) range += `${hexOf(start)}-${hexOf(gap - 1)}`;
    start = gap + 1;
  }
  return start > to ? range : `${range}${hexOf(start)}-${hexOf(to)}`;
}

function characterOf(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return /^[\w ]$/.test(character) ? character : hexOf(codePoint);
}

function hexOf(codePoint: number): string {
  return `\\x{${codePoint.toString(16).toUpperCase()}}`;
}

function refuse(what: string): Error {
  const message = `The pattern ${what}.`;
  return invalidField('q', message, message);
}
