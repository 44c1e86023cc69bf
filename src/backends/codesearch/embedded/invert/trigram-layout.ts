import { trigrams } from '../format/trigram.ts';
import { pageSize } from '../wasm/assemble.ts';

/**
 * Number of groups. Trigrams are sorted in two steps, by their first letter and then by the rest, so that both steps
 * fit the cache.
 */
export const groups = 1 << 7;
export const restBits = 14;
export const inGroup = (1 << restBits) - 1;

/** Size of the chunks in which text is copied to the module, in bytes. */
export const textBytes = pageSize;
/**
 * Size at which postings are returned, in bytes. It leaves room for the postings of one more trigram: 24 KB at most.
 */
export const postingsBytes = 1 << 20;
const postingsRoom = postingsBytes + pageSize;

/** Maximum size of the pairs of one segment, in bytes; four bytes for each byte of text would be twice as much. */
const pairBytes = 112 << 20;

/**
 * Addresses in the memory of the module. The operating system allocates its pages on first access.
 *
 * `fold`: the folded form of each byte. `next`: where the next pair of each group is written. `free`: where the next
 * piece of any group begins. `postingsEnd`, `rowsEnd`: further results of `encode`. `ends`: end of the units of each
 * trigram in a group. `rows`: trigram * 2 + dense, size of its postings in bytes. `seen`: a byte per trigram that is
 * 1 if it was seen. `found`: the trigrams of one unit, with room for all of them and one that is overwritten.
 * `pieces`: the first piece of each group, then further pieces, then room for the units of one group.
 */
export const addressOf = layout();

function layout() {
  const text = pageSize;
  const ends = text + textBytes;
  const rows = ends + 4 * (inGroup + 1);
  const seen = rows + 8 * (inGroup + 1);
  const found = seen + trigrams;
  const postings = found + 4 * trigrams + pageSize;
  const pieces = postings + postingsRoom;
  // The units of the largest group take half the size of its pairs.
  const end = pieces + pairBytes + pairBytes / 2;
  const cells = { fold: 0, next: 512, free: 1024, postingsEnd: 1028, rowsEnd: 1032 };
  return { ...cells, text, ends, rows, seen, found, postings, pieces, end };
}

/**
 * Maximum size of the pairs, in bytes, at which another file of a megabyte fits: it adds four bytes per byte of text,
 * and at most twice that.
 */
export const maxPairBytes = pairBytes - (9 << 20);

/** Number of pages of 64 KB. */
export const pages = addressOf.end / pageSize;
