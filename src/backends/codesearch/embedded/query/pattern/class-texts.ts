import type { AST } from '@eslint-community/regexpp';

/**
 * Requirements from character classes. No text of three bytes occurs in every match of `\d-\d`, but every match
 * contains one of a hundred, and few units contain one of those. This holds for ASCII text only, since there are
 * other digits beyond ASCII.
 */

/** Maximum number of texts per requirement. Every unit contains one of more texts. */
const maxTexts = 128;
const maxClassSize = 64;
/** Maximum number of copies of a repeated element. More copies of `\d{100}` add no information. */
const maxCopies = 4;

/** The ASCII characters possible at one position, in lower case as in trigrams; `undefined` if unknown. */
type Place = readonly string[] | undefined;

/** Returns, for each three adjacent positions, the texts of which ASCII text with a match contains one. */
export function classTexts(elements: readonly AST.Element[]): readonly (readonly string[])[] {
  const places = elements.flatMap(placesOf);
  const found = new Map<string, readonly string[]>();
  for (let at = 0; at + 2 < places.length; at++) {
    const texts = productOf(places[at], places[at + 1], places[at + 2]);
    if (texts !== undefined && texts.length > 1) found.set(texts.join(), texts);
  }
  return [...found.values()];
}

function productOf(first: Place, second: Place, third: Place): readonly string[] | undefined {
  if (first === undefined || second === undefined || third === undefined) return undefined;
  if (first.length * second.length * third.length > maxTexts) return undefined;
  return first.flatMap((a) => second.flatMap((b) => third.map((c) => a + b + c)));
}

function placesOf(element: AST.Element): readonly Place[] {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.length === 1
        ? element.alternatives[0]!.elements.flatMap(placesOf)
        : [undefined];
    case 'Quantifier':
      return placesOfCopies(element);
    case 'Assertion':
      return element.kind === 'lookahead' || element.kind === 'lookbehind' ? [undefined] : [];
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
    case 'Backreference':
      return [placeOf(element)];
  }
}

/**
 * Returns the positions of a repeated element. Further copies may occur in the middle, so the minimum number of
 * copies is next to the adjacent elements on both sides.
 */
function placesOfCopies({ element, min, max }: AST.Quantifier): readonly Place[] {
  if (min === 0) return max === 0 ? [] : [undefined];
  const once = placesOf(element);
  const copies = Array.from({ length: Math.min(min, maxCopies) }, () => once).flat();
  return min === max && min <= maxCopies ? copies : [...copies, undefined, ...copies];
}

function placeOf(element: OneCharacter): Place {
  switch (element.type) {
    case 'Character':
      return folded([[element.value, element.value]]);
    case 'CharacterSet':
      return element.kind === 'digit' && !element.negate ? folded([digits]) : undefined;
    case 'CharacterClass':
      return element.negate ? undefined : folded(element.elements.map(rangeOf));
    case 'ExpressionCharacterClass':
    case 'Backreference':
      return undefined;
  }
}

type OneCharacter =
  | AST.Character
  | AST.CharacterSet
  | AST.CharacterClass
  | AST.ExpressionCharacterClass
  | AST.Backreference;

type Range = readonly [first: number, last: number];

const digits: Range = [0x30, 0x39];

function rangeOf(member: AST.CharacterClassElement): Range | undefined {
  switch (member.type) {
    case 'Character':
      return [member.value, member.value];
    case 'CharacterClassRange':
      return [member.min.value, member.max.value];
    case 'CharacterSet':
      return member.kind === 'digit' && !member.negate ? digits : undefined;
    case 'CharacterClass':
    case 'ClassStringDisjunction':
    case 'ExpressionCharacterClass':
      return undefined;
  }
}

/**
 * Returns the characters of the ranges in lower case, or `undefined` if a range contains non-ASCII letters, which may
 * fold to ASCII.
 */
function folded(ranges: readonly (Range | undefined)[]): Place {
  const letters = new Set<string>();
  for (const range of ranges) {
    if (range === undefined || range[1] >= 0x80) return undefined;
    for (let code = range[0]; code <= range[1]; code++) letters.add(String.fromCharCode(code).toLowerCase());
  }
  return letters.size <= maxClassSize ? [...letters].toSorted() : undefined;
}
