import { setImmediate as nextTick } from 'node:timers/promises';
import { encodeColumns } from '../format/columns.ts';
import { asPathTerm, type FoundTerms, nameWeight, roomForTerms, scanTerms } from '../format/terms.ts';
import { termInverter } from '../invert/invert-terms.ts';
import { GrowingBytes } from './growing-bytes.ts';

/** Counts the terms of each document and inverts the counts. Its memory is reused for the next segment. */
export interface TermPostings {
  /** Adds a document. Documents are numbered in order of arrival; at most 65,536. */
  addDocument(path: string, text: Uint8Array): void;
  /** See `TrigramPostings`. */
  isFull(): boolean;
  /** See `TrigramPostings`. */
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
      const max = length + name.length;
      inverter.count(inText, 1, max);
      if (inPath.bytes < name.length) inPath = roomForTerms(2 * name.length);
      const folders = name.lastIndexOf('/') + 1;
      inverter.count(termsOfPath(name, 0, folders, inPath), 1, max);
      inverter.count(termsOfPath(name, folders, name.length, inPath), nameWeight, max);
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
        await nextTick();
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
