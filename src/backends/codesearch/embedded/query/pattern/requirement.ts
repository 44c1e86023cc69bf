import type { AST } from '@eslint-community/regexpp';
import { trigramsOf } from '../../format/trigram.ts';
import { rarityOf } from '../scan/needle.ts';
import { classTexts } from './class-texts.ts';

/**
 * A condition that the bytes of a unit must meet to contain a match. Texts are bytes in latin1; their trigrams are
 * computed once, for all segments.
 */
export type Requirement =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly bytes: string; readonly trigrams: readonly number[] }
  /** One of these texts of three bytes is required, if the unit is pure ASCII. */
  | { readonly kind: 'class'; readonly trigrams: readonly number[] }
  | { readonly kind: 'all' | 'one'; readonly of: readonly Requirement[] };

const nothing: Requirement = { kind: 'nothing' };
/** Maximum number of texts to which an element is expanded: `(get|set)Name` expands to two. */
const maxExpansions = 16;
const maxExpansionLength = 128;

export function requireLiteral(text: string, caseSensitive: boolean): Requirement {
  const known = Array.from(text, (character) => knownBytes(character, caseSensitive));
  let run = '';
  const runs: Requirement[] = [];
  for (const bytes of [...known, undefined]) {
    if (bytes !== undefined) run += bytes;
    else {
      runs.push(requireText(run));
      run = '';
    }
  }
  return all(runs);
}

export function requirePattern(pattern: AST.Pattern, caseSensitive: boolean): Requirement {
  return asRequirement(readAlternatives(pattern.alternatives, caseSensitive));
}

/** Maximum number of texts to search for. Searching for more takes longer than running the pattern. */
const maxTexts = 8;

/** Returns texts of which every match contains at least one, the rarest that are known; empty if none are known. */
export function necessaryTexts(requirement: Requirement): readonly string[] {
  switch (requirement.kind) {
    case 'nothing':
    case 'class':
      return [];
    case 'text':
      return [requirement.bytes];
    case 'one': {
      const texts = requirement.of.map(necessaryTexts);
      const every = texts.flat();
      return texts.some((part) => part.length === 0) || every.length > maxTexts ? [] : [...new Set(every)];
    }
    case 'all':
      return requirement.of
        .map(necessaryTexts)
        .reduce((best, texts) => (rarity(texts) > rarity(best) ? texts : best), []);
  }
}

/** Returns the rarity of the most common text. It is lower for several texts, since each needs its own search. */
function rarity(texts: readonly string[]): number {
  if (texts.length === 0) return 0;
  return Math.min(...texts.map((text) => rarityOf(Buffer.from(text, 'latin1')))) / Math.sqrt(texts.length);
}

/** All the texts that an element can match, or else a requirement for its matches. */
type Reading = { readonly texts: readonly string[] } | { readonly requirement: Requirement };

function readAlternatives(alternatives: readonly AST.Alternative[], caseSensitive: boolean): Reading {
  const readings = alternatives.map((alternative) => readSequence(alternative.elements, caseSensitive));
  const texts = readings.flatMap((reading) => ('texts' in reading ? reading.texts : []));
  if (readings.every((reading) => 'texts' in reading) && texts.length <= maxExpansions) return { texts };
  return { requirement: one(readings.map(asRequirement)) };
}

function readSequence(elements: readonly AST.Element[], caseSensitive: boolean): Reading {
  const found: Requirement[] = [];
  let run: readonly string[] = [''];
  let whole = true;
  const interrupt = (next: readonly string[]): void => {
    found.push(one(run.map(requireText)));
    run = next;
    whole = false;
  };
  for (const element of elements) {
    const reading = readElement(element, caseSensitive);
    if (!('texts' in reading)) {
      found.push(reading.requirement);
      interrupt(['']);
      continue;
    }
    const joined = join(run, reading.texts);
    if (joined === undefined) interrupt(reading.texts);
    else run = joined;
    // The text before x+ adjoins its first x, and the text after it adjoins its last x.
    if (element.type === 'Quantifier' && element.max > 1) interrupt(element.min > 0 ? reading.texts : ['']);
  }
  if (whole) return { texts: run };
  interrupt(['']);
  const classes = classTexts(elements).map(
    (texts) => ({ kind: 'class', trigrams: texts.flatMap(trigramsIn) }) as const,
  );
  return { requirement: all([...found, ...classes]) };
}

function readElement(element: AST.Element, caseSensitive: boolean): Reading {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return readAlternatives(element.alternatives, caseSensitive);
    case 'Quantifier':
      return readQuantifier(element, caseSensitive);
    case 'Assertion':
      return { texts: [''] };
    case 'Character':
      return readCharacters([element.value], caseSensitive);
    case 'CharacterClass':
      return readClass(element, caseSensitive);
    case 'CharacterSet':
    case 'ExpressionCharacterClass':
    case 'Backreference':
      return { requirement: nothing };
  }
}

function readQuantifier(quantifier: AST.Quantifier, caseSensitive: boolean): Reading {
  if (quantifier.element.type === 'Assertion' || quantifier.max === 0) return { texts: [''] };
  const reading = readElement(quantifier.element, caseSensitive);
  if (quantifier.min === 0) {
    return 'texts' in reading && quantifier.max === 1
      ? { texts: ['', ...reading.texts] }
      : { requirement: nothing };
  }
  return reading;
}

function readClass(node: AST.CharacterClass, caseSensitive: boolean): Reading {
  if (node.negate) return { requirement: nothing };
  const values = node.elements.map((member) => (member.type === 'Character' ? member.value : undefined));
  if (values.length === 0 || values.length > 4 || values.includes(undefined)) return { requirement: nothing };
  return readCharacters(values as number[], caseSensitive);
}

function readCharacters(values: readonly number[], caseSensitive: boolean): Reading {
  const texts = values.map((value) => knownBytes(String.fromCodePoint(value), caseSensitive));
  return texts.includes(undefined) ? { requirement: nothing } : { texts: texts as string[] };
}

/**
 * Returns the bytes of a character, or `undefined` if one of its case variants has other bytes. ASCII letters are
 * known in either case: trigrams are case-folded, and the two non-ASCII letters that fold to ASCII are indexed folded
 * as well.
 */
function knownBytes(character: string, caseSensitive: boolean): string | undefined {
  if (!caseSensitive && character > '\u007f') return undefined;
  return Buffer.from(character).toString('latin1');
}

function join(left: readonly string[], right: readonly string[]): readonly string[] | undefined {
  if (left.length * right.length > maxExpansions) return undefined;
  const joined = left.flatMap((start) => right.map((end) => start + end));
  return joined.some((text) => text.length > maxExpansionLength) ? undefined : joined;
}

function asRequirement(reading: Reading): Requirement {
  return 'texts' in reading ? one(reading.texts.map(requireText)) : reading.requirement;
}

function requireText(bytes: string): Requirement {
  return bytes === '' ? nothing : { kind: 'text', bytes, trigrams: trigramsIn(bytes) };
}

function trigramsIn(bytes: string): number[] {
  return trigramsOf(Buffer.from(bytes, 'latin1'));
}

function all(of: readonly Requirement[]): Requirement {
  const useful = of.filter((requirement) => requirement.kind !== 'nothing');
  if (useful.length === 0) return nothing;
  return useful.length === 1 ? useful[0]! : { kind: 'all', of: useful };
}

/** Returns a choice between requirements. If one of them requires nothing, the choice requires nothing. */
function one(of: readonly Requirement[]): Requirement {
  if (of.length === 0 || of.some((requirement) => requirement.kind === 'nothing')) return nothing;
  return of.length === 1 ? of[0]! : { kind: 'one', of };
}
