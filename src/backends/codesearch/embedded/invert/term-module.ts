import { assemble } from '../wasm/assemble.ts';
import { collectBody, countBody } from './count-terms.ts';
import { encodeBody } from './encode-terms.ts';
import { scanBody } from './scan-terms.ts';
import { sortBody } from './sort-terms.ts';
import { pages } from './term-layout.ts';

/** Finds the terms of texts, counts them, and inverts the counts. It processes every byte of every text. */
export interface TermExports {
  readonly memory: WebAssembly.Memory;
  /**
   * Writes the hash of each word in `[at, end)` from `next` on, and returns the end of the hashes. The byte after the
   * text must not be a letter or digit. For a word that may have a shorter stem, also writes from `stem` on: the
   * address of its hash, its start and its end. A 0 follows the last.
   */
  scan(at: number, end: number, next: number, stem: number): number;
  /** Counts each of the hashes in `[at, end)` `weight` times; returns the number of distinct terms of the document. */
  count(at: number, end: number, weight: number): number;
  /** Adds the counts to their groups, capped at 16 bits, and clears them. */
  collect(document: number): number;
  /** Writes the pairs of a group from `to` on, twice; returns the end of the sorted ones, which are the second half. */
  sort(first: number, stop: number, to: number): number;
  /** Writes the streams of the pairs in `[from, end)`, and finishes the last term if `isLast` is 1. */
  encode(from: number, end: number, isLast: number): number;
}

/** Compiled once, because each repository may use its own instance. */
export const termModule = assemble(pages, [scanBody(), countBody(), collectBody(), sortBody(), encodeBody()]);
