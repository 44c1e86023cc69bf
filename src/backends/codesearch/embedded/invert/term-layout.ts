import { PAGE } from '../wasm/assemble.ts';
import { PIECE } from './pieces.ts';

/** (Term, document) pairs are put in order by the highest bits of their terms, then by the rest. */
export const GROUP_BITS = 8;
export const GROUPS = 1 << GROUP_BITS;
/** The rest is sorted in two steps of so many bits. */
export const DIGIT_BITS = 12;
export const DIGITS = 1 << DIGIT_BITS;
/** The term, then document << 16 | count. */
export const PAIR = 8;

/** A file of data holds thousands of "words" that nobody asks for; more distinct ones are not indexed. */
export const MOST_TERMS_OF_DOCUMENT = 8192;
/** Never more than half of them are taken. */
export const MOST_SLOTS = 2 * MOST_TERMS_OF_DOCUMENT;

/** Longer text is scanned by `scanTerms` itself: none of those that are indexed. */
export const TEXT_BYTES = 1 << 20;
/** At most a term for two bytes of text, four bytes each; and of each a stem in twelve. */
export const HASHES_BYTES = 2 * TEXT_BYTES;
const STEMS_BYTES = 6 * TEXT_BYTES;

/** Pairs that are encoded before other work may run: at most six bytes of a posting each, and five a number of a term. */
export const ENCODED_AT_ONCE = 1 << 15;
const POSTING_BYTES = 6 * ENCODED_AT_ONCE;
const NUMBER_BYTES = 5 * ENCODED_AT_ONCE + PAGE - ((5 * ENCODED_AT_ONCE) % PAGE);

/** Pairs of one segment: those of 32 MB of code take a third of it. */
const PAIR_BYTES = 64 << 20;
/** Bytes of pairs with which another document may come. */
export const MOST_PAIR_BYTES = PAIR_BYTES - 2 * MOST_TERMS_OF_DOCUMENT * PAIR - GROUPS * PIECE;

/**
 * Where things lie in the memory of the module, which is taken as it is touched.
 *
 * Of each byte, `kinds`: its kind; `mayEndIn`: whether a word that ends in it may have a stem; `longest`: the longest
 * word, of each kind. Of the document, `mask`: slots - 1; `taken`: how many are; `slots`: term and count;
 * `takenSlots`: their addresses. `next`: where the next pair of each group goes. `free`: where the next piece of any
 * group begins. `low`, `high`: counts of digits. Of what is encoded, `term` up to `byteLength`: of the term that is
 * open; `postingsEnd` up to `byteLengthsEnd`: where what was written last ends. `pieces`: the first piece of each group,
 * then those that were needed beside, then twice the room of one group.
 */
export const AT = layout();

function layout() {
  const tables = { kinds: 0, mayEndIn: 256, longest: 512 };
  const cells = { mask: 1024, taken: 1028, free: 1032, term: 1036, document: 1040, frequency: 1044 };
  const ends = { byteLength: 1048, postingsEnd: 1052, differencesEnd: 1056, frequenciesEnd: 1060 };
  const next = 2048;
  const low = next + 4 * GROUPS;
  const high = low + 4 * DIGITS;
  const slots = PAGE;
  const takenSlots = slots + 8 * MOST_SLOTS;
  // A page behind the text holds what ends it, and one behind the stems what is written behind the last.
  const text = takenSlots + PAGE;
  const hashes = text + TEXT_BYTES + PAGE;
  const stems = hashes + HASHES_BYTES;
  const postings = stems + STEMS_BYTES + PAGE;
  const differences = postings + POSTING_BYTES;
  const frequencies = differences + NUMBER_BYTES;
  const byteLengths = frequencies + NUMBER_BYTES;
  const pieces = byteLengths + NUMBER_BYTES;
  const end = pieces + 3 * PAIR_BYTES;
  const streams = { postings, differences, frequencies, byteLengths, byteLengthsEnd: 1064 };
  return {
    ...tables,
    ...cells,
    ...ends,
    ...streams,
    next,
    low,
    high,
    slots,
    takenSlots,
    text,
    hashes,
    stems,
    pieces,
    end,
  };
}

/** Of 64 KB. */
export const PAGES = AT.end / PAGE;
