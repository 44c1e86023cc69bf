import type { AST } from '@eslint-community/regexpp';
import { invalidField } from '../../../../foundation/kernel/wire/invalid-field.ts';

/**
 * Prints a parsed pattern in the syntax of Go's `regexp`, so that Zoekt finds what the embedded index would: nothing
 * matches a newline, `.` matches everything else, and \w, \d and \s are those of Unicode (UTS 18), which are ASCII in
 * Go. Go reads invalid UTF-8 as U+FFFD, so no class matches that.
 *
 * `\b` stays ASCII: RE2 has no other word boundary, and no lookaround to express one.
 */
export function printRegex(pattern: AST.Pattern): string {
  return printAlternatives(pattern.alternatives);
}

/** Escapes a text so that a pattern matches it literally. */
export function printText(text: string): string {
  return Array.from(text, (character) => characterOf(character.codePointAt(0)!)).join('');
}

/** Class members for the characters that no class may match. */
const neverPattern = String.raw`\n\x{FFFD}`;
/**
 * Alphabetic, M, Nd, Pc and Join_Control (UTS 18 annex C). Go has no Alphabetic, which is L, Nl, most of M and these
 * ranges.
 */
const alphabetic = String.raw`\p{L}\p{Nl}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}`;
const word = String.raw`${alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}`;
const digit = String.raw`\p{Nd}`;
/** White_Space without the newline. */
const space = String.raw`\t\x{B}\f\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}`;

function printAlternatives(alternatives: readonly AST.Alternative[]): string {
  return alternatives.map((alternative) => alternative.elements.map(printElement).join('')).join('|');
}

function printElement(element: AST.Element): string {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return `(?:${printAlternatives(element.alternatives)})`;
    case 'Quantifier':
      return `(?:${printElement(element.element)})${printCount(element)}`;
    case 'Assertion':
      return printAssertion(element);
    case 'Character':
      return characterOf(element.value);
    case 'CharacterSet':
      return printSet(element);
    case 'CharacterClass':
      return printClass(element);
    case 'ExpressionCharacterClass':
    case 'Backreference':
      throw new RangeError(`${element.type} is rejected by the parser`);
  }
}

function printCount({ min, max, greedy }: AST.Quantifier): string {
  return `{${min},${max === Number.POSITIVE_INFINITY ? '' : max}}${greedy ? '' : '?'}`;
}

function printAssertion(assertion: AST.Assertion): string {
  switch (assertion.kind) {
    case 'start':
      return '(?m:^)';
    case 'end':
      return '(?m:$)';
    case 'word':
      return assertion.negate ? String.raw`\B` : String.raw`\b`;
    case 'lookahead':
    case 'lookbehind':
      throw new RangeError('lookaround is rejected by the parser');
  }
}

function printSet(set: AST.CharacterSet): string {
  const { members, negate } = membersOf(set);
  return negate ? `[^${members}${neverPattern}]` : `[${members}]`;
}

/** Prints a class. Go only has the union of members, so negated members become separate alternatives. */
function printClass({ elements, negate }: AST.CharacterClass): string {
  const plain: string[] = [];
  const negated: string[] = [];
  for (const element of elements) {
    if (element.type === 'Character') plain.push(rangeOf(element.value, element.value));
    else if (element.type === 'CharacterClassRange')
      plain.push(rangeOf(element.min.value, element.max.value));
    else if (element.type === 'CharacterSet') {
      const set = membersOf(element);
      (set.negate ? negated : plain).push(set.members);
    } else throw new RangeError('set operations are not parsed');
  }
  const members = plain.join('');
  if (!negate) {
    const parts = [
      ...(members === '' ? [] : [`[${members}]`]),
      ...negated.map((set) => `[^${set}${neverPattern}]`),
    ];
    return parts.length === 0 ? nothing : `(?:${parts.join('|')})`;
  }
  const [only, ...others] = negated;
  if (only === undefined) return `[^${members}${neverPattern}]`;
  if (others.length === 0 && members === '') return `[${only}]`;
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

function membersOf(set: AST.CharacterSet): SetMembers {
  switch (set.kind) {
    case 'any':
      return { members: '', negate: true };
    case 'digit':
      return { members: digit, negate: set.negate };
    case 'space':
      return { members: space, negate: set.negate };
    case 'word':
      return { members: word, negate: set.negate };
    case 'property':
      return { members: propertyOf(set), negate: set.negate };
  }
}

function propertyOf(set: AST.UnicodePropertyCharacterSet): string {
  const { key, value } = set;
  if (key === 'Script' || key === 'sc') return `\\p{${value ?? ''}}`;
  const name = value ?? key;
  if (name === 'White_Space' || name === 'space') return space;
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

/** Prints a range of a class, without the newline and U+FFFD. */
function rangeOf(from: number, to: number): string {
  const gaps = [0x0a, 0xfffd].filter((gap) => from <= gap && gap <= to);
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
