import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeColumns } from '../format/columns.ts';
import { asPathTerm, type FoundTerms, NAME_WEIGHT, roomForTerms, scanTerms } from '../format/terms.ts';
import { termInverter } from '../invert/invert-terms.ts';
import { GrowingBytes } from './growing-bytes.ts';

/** Collects how often each term stands in each document, and inverts that, in memory that is kept from one segment to the next. */
export interface TermPostings {
  /** Documents are numbered in the order in which they come; at most 65,536. */
  addDocument(path: string, text: Uint8Array): void;
  /** As of `TrigramPostings`. */
  isFull(): boolean;
  /** As of `TrigramPostings`. */
  encode(write: (piece: Uint8Array) => void): Promise<Buffer>;
}

export function collectTermPostings(): TermPostings {
  const inverter = termInverter();
  let inPath = roomForTerms(256);
  let lengths: number[] = [];
  return {
    addDocument: (path, text) => {
      const name = Buffer.from(path);
      const inText = inverter.scan(text);
      const { length } = inText;
      const most = length + name.length;
      inverter.count(inText, 1, most);
      if (inPath.bytes < name.length) inPath = roomForTerms(2 * name.length);
      const folders = name.lastIndexOf('/') + 1;
      inverter.count(termsOfPath(name, 0, folders, inPath), 1, most);
      inverter.count(termsOfPath(name, folders, name.length, inPath), NAME_WEIGHT, most);
      inverter.endDocument(lengths.length);
      lengths.push(length);
    },
    isFull: inverter.isFull,
    encode: async (write) => {
      const differences = new GrowingBytes();
      const frequencies = new GrowingBytes();
      const byteLengths = new GrowingBytes();
      for (const encoded of inverter.drain()) {
        write(encoded.postings);
        differences.bytes(encoded.differences);
        frequencies.bytes(encoded.frequencies);
        byteLengths.bytes(encoded.byteLengths);
        await nextTurn();
      }
      const columns = [differences.take(), frequencies.take(), byteLengths.take(), Uint32Array.from(lengths)];
      lengths = [];
      return encodeColumns(columns);
    },
  };
}

function termsOfPath(path: Buffer, from: number, to: number, found: FoundTerms): Int32Array {
  const hashes = found.hashes.subarray(0, scanTerms(path, from, to, found));
  for (let index = 0; index < hashes.length; index++) hashes[index] = asPathTerm(hashes[index]!);
  return hashes;
}
