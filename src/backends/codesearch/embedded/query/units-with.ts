import { andBits, type Bits, countBits, orBits, setBit } from '../format/bits.ts';
import { UNIT_FLAGS } from '../format/segment-sections.ts';
import { trigramsOf } from '../format/trigram.ts';
import type { Segment } from '../read/segment.ts';
import type { TrigramTable } from '../read/trigram-table.ts';
import type { Requirement } from './pattern/requirement.ts';

/** Rarest first, a few trigrams exclude nearly all that can be excluded; reading the rest costs more than it saves. */
const MOST_TRIGRAMS = 16;
/** A unit takes as long to look at as so many bytes of postings take to read. */
const UNIT_IN_POSTINGS = 1000;
/** To find a list takes as long as to read so many bytes of it. */
const LIST = 100;

/** The units that may fulfil the requirement; `undefined` when it excludes none. */
export function unitsWith(segment: Segment, requirement: Requirement): Bits | undefined {
  switch (requirement.kind) {
    case 'nothing':
      return undefined;
    case 'text':
      return unitsWithText(segment.trigrams, requirement.bytes);
    case 'class':
      return unitsOfClasses(segment, undefined, [requirement]);
    case 'all': {
      const classes = requirement.of.filter((part) => part.kind === 'class');
      const found = requirement.of
        .filter((part) => part.kind !== 'class')
        .map((part) => unitsWith(segment, part))
        .reduce((left, right) => (left && right ? andBits(left, right) : (left ?? right)), undefined);
      return unitsOfClasses(segment, found, classes);
    }
    case 'one': {
      const parts = requirement.of.map((part) => unitsWith(segment, part));
      return parts.includes(undefined) ? undefined : (parts as Bits[]).reduce(orBits);
    }
  }
}

/** Those of `known` that hold a text of each class or are not ASCII, as far as it pays to look. */
function unitsOfClasses(
  { trigrams, units }: Segment,
  known: Bits | undefined,
  classes: readonly Extract<Requirement, { kind: 'class' }>[],
): Bits | undefined {
  const wanted = classes
    .map(({ texts }) => texts.flatMap((text) => trigramsOf(Buffer.from(text, 'latin1'))))
    .map((of) => ({ of, weight: of.reduce((sum, trigram) => sum + LIST + trigrams.weight(trigram), 0) }))
    .toSorted((a, b) => a.weight - b.weight);
  let found = known;
  for (const { of, weight } of wanted) {
    if ((found === undefined ? units.count : countBits(found)) * UNIT_IN_POSTINGS < weight) break;
    const holding = trigrams.unitsOfAny(of);
    addBeyondAscii(holding, units.flags);
    found = found === undefined ? holding : andBits(found, holding);
  }
  return found;
}

function addBeyondAscii(found: Bits, flags: Uint8Array): void {
  for (let unit = 0; unit < flags.length; unit++) {
    if ((flags[unit]! & UNIT_FLAGS.ascii) === 0) setBit(found, unit);
  }
}

function unitsWithText(trigrams: TrigramTable, bytes: string): Bits | undefined {
  const wanted = trigramsOf(Buffer.from(bytes, 'latin1'))
    .map((trigram) => ({ trigram, weight: trigrams.weight(trigram) }))
    .toSorted((a, b) => a.weight - b.weight);
  const rarest = wanted[0];
  if (rarest === undefined) return undefined;
  const found = trigrams.units(rarest.trigram);
  if (rarest.weight === 0) return found;
  for (const { trigram, weight } of wanted.slice(1, MOST_TRIGRAMS)) {
    if (countBits(found) * UNIT_IN_POSTINGS < weight) break;
    trigrams.keep(found, trigram);
  }
  return found;
}
