import { andBits, type Bits, countBits, emptyBits, orBits, setBit } from '../format/bits.ts';
import { UNIT_FLAGS } from '../format/segment-sections.ts';
import type { Segment } from '../read/segment.ts';
import type { Requirement } from './pattern/requirement.ts';

/** Rarest first, a few trigrams exclude nearly all that can be excluded; reading the rest costs more than it saves. */
const MOST_TRIGRAMS = 16;
/** A unit takes as long to look at as so many bytes of postings take to read. */
const UNIT_IN_POSTINGS = 1000;
/** To find a list takes as long as to read so many bytes of it, where lists lie side by side. */
const LIST = 100;
/** The same where a list lies by itself: a call into the system. */
const LONE_LIST = 2000;

/** The units that may fulfil the requirement; `undefined` when it excludes none. */
export function unitsWith(segment: Segment, requirement: Requirement): Bits | undefined {
  switch (requirement.kind) {
    case 'nothing':
      return undefined;
    case 'text':
      return unitsWithText(segment, requirement.trigrams);
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
    .map(({ trigrams: of }) => ({
      of,
      weight: of.reduce((sum, trigram) => sum + LIST + trigrams.weight(trigram), 0),
    }))
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

function unitsWithText({ trigrams, units }: Segment, wanted: readonly number[]): Bits | undefined {
  if (wanted.length === 0) return undefined;
  const weighed: { readonly trigram: number; readonly weight: number }[] = [];
  for (const trigram of wanted) {
    const weight = trigrams.weight(trigram);
    if (weight === 0) return emptyBits(units.count);
    weighed.push({ trigram, weight });
  }
  const [rarest, ...others] = weighed.toSorted((a, b) => a.weight - b.weight);
  const found = trigrams.units(rarest!.trigram);
  for (const { trigram, weight } of others.slice(0, MOST_TRIGRAMS - 1)) {
    if (countBits(found) * UNIT_IN_POSTINGS < LONE_LIST + weight) break;
    trigrams.keep(found, trigram);
  }
  return found;
}
