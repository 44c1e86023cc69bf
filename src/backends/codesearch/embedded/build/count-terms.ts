/** A file of data holds thousands of "words" that nobody asks for; more distinct ones are not indexed. */
const MOST_TERMS_OF_DOCUMENT = 8192;
const LEAST_SLOTS = 64;

/** How often each term stands in one document. */
export interface TermCounts {
  /** Forgets the last document; at most so many terms come, which decides how much of the cache this takes. */
  begin(most: number): void;
  /** Counts each of the first `count` hashes `weight` times. */
  add(hashes: Int32Array, count: number, weight: number): void;
  /** The number of distinct terms. */
  size(): number;
  /** Writes them from `at` on: the terms, and beside them document << 16 | count, capped to 16 bits. Gives the end. */
  copyTo(terms: Uint32Array, postings: Uint32Array, at: number, document: number): number;
}

/** Open addressing over hashes that are already well spread, never more than half full. A count of 0 is a free slot. */
export function termCounts(): TermCounts {
  const terms = new Int32Array(2 * MOST_TERMS_OF_DOCUMENT);
  const counts = new Uint32Array(terms.length);
  const taken = new Uint16Array(MOST_TERMS_OF_DOCUMENT);
  let size = 0;
  let mask = 0;
  return {
    begin: (most) => {
      for (let index = 0; index < size; index++) counts[taken[index]!] = 0;
      size = 0;
      let slots = LEAST_SLOTS;
      while (slots < 2 * most && slots < terms.length) slots *= 2;
      mask = slots - 1;
    },
    add: (hashes, count, weight) => {
      for (let index = 0; index < count; index++) {
        const term = hashes[index]!;
        let slot = (term ^ (term >>> 15)) & mask;
        while (counts[slot] !== 0 && terms[slot] !== term) slot = (slot + 1) & mask;
        if (counts[slot] === 0) {
          if (size === MOST_TERMS_OF_DOCUMENT) continue;
          terms[slot] = term;
          taken[size++] = slot;
        }
        counts[slot]! += weight;
      }
    },
    size: () => size,
    copyTo: (intoTerms, postings, at, document) => {
      for (let index = 0; index < size; index++) {
        const slot = taken[index]!;
        intoTerms[at + index] = terms[slot]!;
        postings[at + index] = (document << 16) | Math.min(counts[slot]!, 0xffff);
      }
      return at + size;
    },
  };
}
