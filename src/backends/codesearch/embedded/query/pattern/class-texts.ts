import type { AST } from '@eslint-community/regexpp';

/**
 * What classes of characters say: `\d-\d` has no text of three bytes that each match holds, but holds one of a hundred,
 * and few units hold one of those. Of ASCII text alone, since beyond it there are other digits.
 */

/** More texts than these are found in every unit. */
const MOST_TEXTS = 128;
const LARGEST_CLASS = 64;
/** Of `\d{100}` no more is learnt than of this many. */
const MOST_COPIES = 4;

/** ASCII characters in lower case, as trigrams are; `undefined` where nothing is known. */
type Place = readonly string[] | undefined;

/** For each three places side by side the texts of which ASCII text with a match holds one. */
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
  if (first.length * second.length * third.length > MOST_TEXTS) return undefined;
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

/** In the middle there may be more copies; at both ends the least number stands side by side with what is there. */
function placesOfCopies({ element, min, max }: AST.Quantifier): readonly Place[] {
  if (min === 0) return max === 0 ? [] : [undefined];
  const once = placesOf(element);
  const copies = Array.from({ length: Math.min(min, MOST_COPIES) }, () => once).flat();
  return min === max && min <= MOST_COPIES ? copies : [...copies, undefined, ...copies];
}

function placeOf(element: OneCharacter): Place {
  switch (element.type) {
    case 'Character':
      return folded([[element.value, element.value]]);
    case 'CharacterSet':
      return element.kind === 'digit' && !element.negate ? folded([DIGITS]) : undefined;
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

const DIGITS: Range = [0x30, 0x39];

function rangeOf(member: AST.CharacterClassElement): Range | undefined {
  switch (member.type) {
    case 'Character':
      return [member.value, member.value];
    case 'CharacterClassRange':
      return [member.min.value, member.max.value];
    case 'CharacterSet':
      return member.kind === 'digit' && !member.negate ? DIGITS : undefined;
    case 'CharacterClass':
    case 'ClassStringDisjunction':
    case 'ExpressionCharacterClass':
      return undefined;
  }
}

/** Beyond ASCII there are letters that fold into it: with one of those nothing is known. */
function folded(ranges: readonly (Range | undefined)[]): Place {
  const letters = new Set<string>();
  for (const range of ranges) {
    if (range === undefined || range[1] >= 0x80) return undefined;
    for (let code = range[0]; code <= range[1]; code++) letters.add(String.fromCharCode(code).toLowerCase());
  }
  return letters.size <= LARGEST_CLASS ? [...letters].toSorted() : undefined;
}
