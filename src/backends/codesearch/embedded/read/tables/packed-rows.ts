import { lowerBound } from '../../../../../foundation/kernel/lower-bound.ts';
import { readVarint, type VarintCursor } from '../../format/varint.ts';

/** The document frequency of a term and the location of its postings. */
export interface TermRow {
  /** Number of documents that contain the term. */
  readonly frequency: number;
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Number of rows per sample. The positions of sampled rows are known; the rows between them are decoded one by one.
 */
const strideRows = 32;
/** Number of values per sample, in the order of `sampleOf`. */
const sampleSize = 5;

/** The last row that was decoded. The cursors are at the next row. */
interface Walk {
  term: number;
  frequency: number;
  offset: number;
  bytes: number;
  readonly terms: VarintCursor;
  readonly frequencies: VarintCursor;
  readonly lengths: VarintCursor;
}

/**
 * Three streams of varints: difference to the previous term, number of documents that contain it, and bytes of its
 * postings.
 */
type Streams = readonly [terms: Uint8Array, frequencies: Uint8Array, lengths: Uint8Array];

/**
 * Returns a lookup of terms in rows that stay packed as in the file. Unpacked, they would take four times the memory.
 * @throws RangeError if the streams differ in length
 */
export function packedRows(streams: Streams): (term: number) => TermRow | undefined {
  const samples = sampleRows(streams);
  return (term) => {
    // The last sample before which all terms are smaller.
    const sample =
      lowerBound(samples.length / sampleSize, (index) => samples[index * sampleSize]! >= term) - 1;
    const walk = walkFrom(streams, samples, Math.max(0, sample));
    for (let left = strideRows; left > 0 && hasNext(walk); left--) {
      step(walk);
      if (walk.term >= term) return walk.term === term ? walk : undefined;
    }
    return undefined;
  };
}

function sampleRows(streams: Streams): Uint32Array {
  const walk = walkFrom(streams, new Uint32Array(sampleSize), 0);
  const samples = sampleOf(walk);
  for (let row = 1; hasNext(walk); row++) {
    step(walk);
    if (row % strideRows === 0) samples.push(...sampleOf(walk));
  }
  return Uint32Array.from(samples);
}

function sampleOf({ term, offset, bytes, terms, frequencies, lengths }: Walk): number[] {
  return [term, offset + bytes, terms.at, frequencies.at, lengths.at];
}

function walkFrom([terms, frequencies, lengths]: Streams, samples: Uint32Array, index: number): Walk {
  const at = index * sampleSize;
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
