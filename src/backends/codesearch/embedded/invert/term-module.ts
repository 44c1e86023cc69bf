import { assemble } from '../wasm/assemble.ts';
import { countBody, gatherBody } from './count-terms.ts';
import { encodeBody } from './encode-terms.ts';
import { scanBody } from './scan-terms.ts';
import { sortBody } from './sort-terms.ts';
import { PAGES } from './term-layout.ts';

/** Finds the terms of texts, counts them, and inverts the counts. Every byte of every text passes through here. */
export interface TermExports {
  readonly memory: WebAssembly.Memory;
  /**
   * Writes the hash of each word in `[at, end)` from `next` on, and gives where they end. The byte behind the text must
   * be no letter or digit. A word that a stem may be shorter than stands from `stem` on, too: where its hash is, where it
   * starts and where it ends. A 0 follows the last.
   */
  scan(at: number, end: number, next: number, stem: number): number;
  /** Counts each of the hashes in `[at, end)` `weight` times; gives how many distinct ones the document has. */
  count(at: number, end: number, weight: number): number;
  /** Adds the counts to their groups, capped to 16 bits, and forgets them. */
  gather(document: number): number;
  /** Writes the pairs of a group from `to` on, twice; gives the end of those in order, which are the second half. */
  sort(first: number, stop: number, to: number): number;
  /** Writes the streams of the pairs in `[from, end)`, and ends those of the last term where `isLast` is 1. */
  encode(from: number, end: number, isLast: number): number;
}

/** Compiled once, since every repository may take an instance of its own. */
export const termModule = assemble(PAGES, [scanBody(), countBody(), gatherBody(), sortBody(), encodeBody()]);
