import { readVarint, type VarintCursor } from '../format/varint.ts';
import { lowerBound } from './lower-bound.ts';

/** What is known of a term beside its postings, and where those lie. */
export interface TermRow {
  /** How many documents hold the term. */
  readonly frequency: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Every so many rows it is known where they lie; those between are unpacked one by one. */
const STRIDE = 32;
/** Numbers of a sample, in the order of `sampleOf`. */
const SAMPLE = 5;

/** The row before the one that the cursors are at. */
interface Walk {
  term: number;
  frequency: number;
  offset: number;
  bytes: number;
  readonly terms: VarintCursor;
  readonly frequencies: VarintCursor;
  readonly lengths: VarintCursor;
}

/** Three streams of varints: difference to the term before, documents that hold it, bytes of its postings. */
type Streams = readonly [terms: Uint8Array, frequencies: Uint8Array, lengths: Uint8Array];

/**
 * Finds terms in rows that stay as they lie in the file: unpacked, they would take four times the room.
 * @throws RangeError where the streams are not of one length
 */
export function packedRows(streams: Streams): (term: number) => TermRow | undefined {
  const samples = sampleRows(streams);
  return (term) => {
    // The last sample before which all terms are smaller.
    const sample = lowerBound(samples.length / SAMPLE, (index) => samples[index * SAMPLE]! >= term) - 1;
    const walk = walkFrom(streams, samples, Math.max(0, sample));
    for (let left = STRIDE; left > 0 && hasNext(walk); left--) {
      step(walk);
      if (walk.term >= term) return walk.term === term ? walk : undefined;
    }
    return undefined;
  };
}

function sampleRows(streams: Streams): Uint32Array {
  const walk = walkFrom(streams, new Uint32Array(SAMPLE), 0);
  const samples = sampleOf(walk);
  for (let row = 1; hasNext(walk); row++) {
    step(walk);
    if (row % STRIDE === 0) samples.push(...sampleOf(walk));
  }
  return Uint32Array.from(samples);
}

function sampleOf({ term, offset, bytes, terms, frequencies, lengths }: Walk): number[] {
  return [term, offset + bytes, terms.at, frequencies.at, lengths.at];
}

function walkFrom([terms, frequencies, lengths]: Streams, samples: Uint32Array, index: number): Walk {
  const at = index * SAMPLE;
  return {
    term: samples[at]!,
    frequency: 0,
    offset: samples[at + 1]!,
    bytes: 0,
    terms: { bytes: terms, at: samples[at + 2]! },
    frequencies: { bytes: frequencies, at: samples[at + 3]! },
    lengths: { bytes: lengths, at: samples[at + 4]! },
  };
}

function hasNext({ terms }: Walk): boolean {
  return terms.at < terms.bytes.length;
}

function step(walk: Walk): void {
  walk.term += readVarint(walk.terms);
  walk.frequency = readVarint(walk.frequencies);
  walk.offset += walk.bytes;
  walk.bytes = readVarint(walk.lengths);
}
