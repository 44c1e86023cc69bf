import { TRIGRAMS } from '../format/trigram.ts';
import { PAGE } from '../wasm/assemble.ts';

/** Trigrams are put in order in two steps, by their first letter and then by the rest, so that both stay in the cache. */
export const GROUPS = 1 << 7;
export const REST_BITS = 14;
export const IN_GROUP = (1 << REST_BITS) - 1;

/** Text is copied in so many bytes at a time; longer text goes through in pieces. */
export const TEXT_BYTES = PAGE;
/** Postings are handed over before they are longer, so that those of one more trigram have room: 24 KB at most. */
export const POSTINGS_BYTES = 1 << 20;
const POSTINGS_ROOM = POSTINGS_BYTES + PAGE;

/** Pairs of one segment; four for each byte of text would be twice as much. */
const PAIR_BYTES = 112 << 20;

/**
 * Where things lie in the memory of the module, which is taken as it is touched.
 *
 * `fold`: the folded form of each byte. `next`: where the next pair of each group goes. `free`: where the next piece of
 * any group begins. `postingsEnd`, `rowsEnd`: what `encode` gives beside its result. `ends`: of each trigram in a group,
 * where its units end. `rows`: trigram * 2 + dense, bytes of its postings. `seen`: a byte a trigram that is 1 when it was
 * seen. `found`: the trigrams of one unit, all there are and one that is written over. `pieces`: the first piece of each
 * group, then those that were needed beside, then room for the units of one group.
 */
export const AT = layout();

function layout() {
  const text = PAGE;
  const ends = text + TEXT_BYTES;
  const rows = ends + 4 * (IN_GROUP + 1);
  const seen = rows + 8 * (IN_GROUP + 1);
  const found = seen + TRIGRAMS;
  const postings = found + 4 * TRIGRAMS + PAGE;
  const pieces = postings + POSTINGS_ROOM;
  // Units of the largest group are half as long as its pairs.
  const end = pieces + PAIR_BYTES + PAIR_BYTES / 2;
  const cells = { fold: 0, next: 512, free: 1024, postingsEnd: 1028, rowsEnd: 1032 };
  return { ...cells, text, ends, rows, seen, found, postings, pieces, end };
}

/** Bytes of pairs with which another file of a megabyte may come: it brings four for each byte, and twice at most. */
export const MOST_PAIR_BYTES = PAIR_BYTES - (9 << 20);

/** Of 64 KB. */
export const PAGES = AT.end / PAGE;
