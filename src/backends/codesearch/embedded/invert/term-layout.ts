import { pageSize } from '../wasm/assemble.ts';
import { piece } from './pieces.ts';

/**
 * Number of bits that select a group. (Term, document) pairs are sorted by the highest bits of their terms, then by
 * the rest.
 */
export const groupBits = 8;
export const groups = 1 << groupBits;
/** Number of bits of one of the two sort steps within a group. */
export const digitBits = 12;
export const digits = 1 << digitBits;
/** Size of a pair, in bytes: the term, then document << 16 | count. */
export const pair = 8;

/**
 * Maximum number of distinct terms of a document; further ones are not indexed. Data files contain thousands of
 * "words" that are never searched.
 */
export const maxTermsOfDocument = 8192;
/** Number of slots; at most half of them are used. */
export const maxSlots = 2 * maxTermsOfDocument;

/** Maximum text size, in bytes. Longer text is scanned by `scanTerms`; no indexed text is that long. */
export const textBytes = 1 << 20;
/** At most one term per two bytes of text, of four bytes each, and one stem entry of twelve bytes per term. */
export const hashesBytes = 2 * textBytes;
const stemsBytes = 6 * textBytes;

/**
 * Number of pairs that are encoded before other work may run: at most six bytes per posting and five per number of a
 * term.
 */
export const encodedAtOnce = 1 << 15;
const postingBytes = 6 * encodedAtOnce;
const numberBytes = 5 * encodedAtOnce + pageSize - ((5 * encodedAtOnce) % pageSize);

/** Maximum size of the pairs of one segment, in bytes; 32 MB of code use a third of it. */
const pairBytes = 64 << 20;
/** Maximum size of the pairs, in bytes, at which another document fits. */
export const maxPairBytes = pairBytes - 2 * maxTermsOfDocument * pair - groups * piece;

/**
 * Addresses in the memory of the module. The operating system allocates its pages on first access.
 *
 * Per byte value, `kinds`: its kind; `stemEndings`: whether a word that ends with it may have a stem. Per kind,
 * `maxLengths`: the maximum word length. Of the current document, `mask`: number of slots - 1; `taken`: number of
 * used slots; `slots`: term and count; `takenSlots`: addresses of the used slots. `next`: where the next pair of each
 * group is written. `free`: where the next piece of any group begins. `low`, `high`: counts of digits. Of the
 * encoder, `term` up to `byteLength`: the open term; `postingsEnd` up to `byteLengthsEnd`: the ends of the last
 * written streams. `pieces`: the first piece of each group, then further pieces, then twice the space of one group.
 */
export const addressOf = layout();

function layout() {
  const tables = { kinds: 0, stemEndings: 256, maxLengths: 512 };
  const cells = { mask: 1024, taken: 1028, free: 1032, term: 1036, document: 1040, frequency: 1044 };
  const ends = { byteLength: 1048, postingsEnd: 1052, differencesEnd: 1056, frequenciesEnd: 1060 };
  const next = 2048;
  const low = next + 4 * groups;
  const high = low + 4 * digits;
  const slots = pageSize;
  const takenSlots = slots + 8 * maxSlots;
  // The page after the text contains its terminator; the page after the stems absorbs the write after the last one.
  const text = takenSlots + pageSize;
  const hashes = text + textBytes + pageSize;
  const stems = hashes + hashesBytes;
  const postings = stems + stemsBytes + pageSize;
  const differences = postings + postingBytes;
  const frequencies = differences + numberBytes;
  const byteLengths = frequencies + numberBytes;
  const pieces = byteLengths + numberBytes;
  const end = pieces + 3 * pairBytes;
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

/** Number of pages of 64 KB. */
export const pages = addressOf.end / pageSize;
