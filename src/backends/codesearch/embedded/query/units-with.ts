import { andBits, type Bits, countBits, emptyBits, orBits, setBit } from '../format/bits.ts';
import { unitFlags } from '../format/segment-sections.ts';
import type { Segment } from '../read/segment.ts';
import type { Requirement } from './pattern/requirement.ts';

/**
 * Maximum number of trigrams read per text. The rarest few exclude nearly all units that can be excluded; reading the
 * others costs more than it saves.
 */
const maxTrigrams = 16;
/** Cost of searching a unit: the number of bytes of postings that are read in the same time. */
const unitCost = 1000;
/** Cost of locating a list that is adjacent to others, in bytes of postings. */
const adjacentListCost = 100;
/** Cost of locating a list by itself, which takes a system call, in bytes of postings. */
const separateListCost = 2000;

/** Returns the units that may meet the requirement, or `undefined` if it excludes none. */
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

/**
 * Returns the units of `known` that contain a text of each class or are not ASCII. Classes that cost more to read
 * than they save are ignored.
 */
function unitsOfClasses(
  { trigrams, units }: Segment,
  known: Bits | undefined,
  classes: readonly Extract<Requirement, { kind: 'class' }>[],
): Bits | undefined {
  const wanted = classes
    .map(({ trigrams: of }) => ({
      of,
      weight: of.reduce((sum, trigram) => sum + adjacentListCost + trigrams.weight(trigram), 0),
    }))
    .toSorted((a, b) => a.weight - b.weight);
  let found = known;
  for (const { of, weight } of wanted) {
    if ((found === undefined ? units.count : countBits(found)) * unitCost < weight) break;
    const holding = trigrams.unitsOfAny(of);
    addBeyondAscii(holding, units.flags);
    found = found === undefined ? holding : andBits(found, holding);
  }
  return found;
}

function addBeyondAscii(found: Bits, flags: Uint8Array): void {
  for (let unit = 0; unit < flags.length; unit++) {
    if ((flags[unit]! & unitFlags.ascii) === 0) setBit(found, unit);
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
  for (const { trigram, weight } of others.slice(0, maxTrigrams - 1)) {
    if (countBits(found) * unitCost < separateListCost + weight) break;
    trigrams.keep(found, trigram);
  }
  return found;
}
