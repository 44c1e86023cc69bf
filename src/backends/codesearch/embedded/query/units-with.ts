import { andBits, type Bits, countBits, orBits } from '../format/bits.ts';
import { trigramsOf } from '../format/trigram.ts';
import type { TrigramTable } from '../read/trigram-table.ts';
import type { Requirement } from './pattern/requirement.ts';

/** Rarest first, a few trigrams exclude nearly all that can be excluded; reading the rest costs more than it saves. */
const MOST_TRIGRAMS = 16;
/** A unit takes as long to look at as so many bytes of postings take to read. */
const UNIT_IN_POSTINGS = 1000;

/** The units that may fulfil the requirement; `undefined` when it excludes none. */
export function unitsWith(trigrams: TrigramTable, requirement: Requirement): Bits | undefined {
  switch (requirement.kind) {
    case 'nothing':
      return undefined;
    case 'text':
      return unitsWithText(trigrams, requirement.bytes);
    case 'all':
      return requirement.of
        .map((part) => unitsWith(trigrams, part))
        .reduce((found, part) => (found && part ? andBits(found, part) : (found ?? part)), undefined);
    case 'one': {
      const parts = requirement.of.map((part) => unitsWith(trigrams, part));
      return parts.includes(undefined) ? undefined : (parts as Bits[]).reduce(orBits);
    }
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
