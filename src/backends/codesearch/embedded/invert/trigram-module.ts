import { trigrams } from '../format/trigram.ts';
import {
  add,
  and,
  assemble,
  byteAt,
  constant,
  get,
  isLess,
  line,
  numberAt,
  or,
  repeatWhile,
  set,
  shiftLeft,
  shiftRight,
  storeByte,
  storeHalf,
  storeNumber,
  subtract,
  tee,
} from '../wasm/assemble.ts';
import { encodeBody } from './encode-trigrams.ts';
import { piecesOf } from './pieces.ts';
import { addressOf, inGroup, pages, restBits } from './trigram-layout.ts';

/** Finds the distinct trigrams of text and inverts them, in less than half the time of the same loops in JavaScript. */
export interface TrigramExports {
  readonly memory: WebAssembly.Memory;
  /**
   * Writes the trigrams of `[at, end)` that were not seen before from `next` on, a number each, and returns their
   * end. `last` is the last trigram of the preceding text. Writes up to 4 bytes beyond the end.
   */
  note(at: number, end: number, next: number, last: number): number;
  /** Adds the trigrams in `[at, end)` to their groups, each as its rest << 16 | unit, and marks them as not seen. */
  collect(at: number, end: number, unit: number): number;
  /**
   * Writes the units of a group from `to` on, ordered by trigram, and returns their end; stores the end of each
   * trigram in `ends`. The group begins at `first` and ends at `stop`.
   */
  sort(first: number, stop: number, to: number): number;
  /**
   * Writes postings and rows of the trigrams from `rest` on, whose units begin at `from`: differences, or a bitmap
   * where that is shorter. Returns the trigram to continue with, because the space for postings is limited.
   */
  encode(rest: number, from: number, bitmapBytes: number): number;
}

const pieces = piecesOf(4, addressOf.free);

/** Compiled once, because each repository uses its own instance. */
export const trigramModule = assemble(pages, [
  { name: 'note', parameters: 4, locals: 3, body: noteBody() },
  { name: 'collect', parameters: 3, locals: 3, body: collectBody() },
  { name: 'sort', parameters: 3, locals: 5, body: sortBody() },
  encodeBody(),
]);

/**
 * Processes four bytes per iteration, so that their look-ups overlap. Each trigram is written, and overwritten by the
 * next one if it was seen: new trigrams are unpredictable, and a mispredicted branch costs more than a write.
 */
function noteBody(): number[][] {
  const [at, end, next, last] = [0, 1, 2, 3];
  const [first, second, third] = [4, 5, 6];
  const trigram = (before: number, offset: number, into: number): number[] =>
    line(
      line(get(before), constant(7), shiftLeft, get(at), byteAt(offset), byteAt(addressOf.fold), or),
      line(constant(trigrams - 1), and, set(into)),
    );
  const keep = (found: number): number[] =>
    line(
      line(get(next), get(found), storeNumber()),
      line(constant(1), get(found), byteAt(addressOf.seen), subtract, constant(2), shiftLeft),
      line(get(next), add, set(next)),
      line(get(found), constant(1), storeByte(addressOf.seen)),
    );
  return [
    repeatWhile(
      line(get(at), constant(3), add, get(end), isLess),
      line(
        trigram(last, 0, first),
        trigram(first, 1, second),
        trigram(second, 2, third),
        trigram(third, 3, last),
      ),
      line(keep(first), keep(second), keep(third), keep(last)),
      line(get(at), constant(4), add, set(at)),
    ),
    repeatWhile(
      line(get(at), get(end), isLess),
      line(trigram(last, 0, last), keep(last)),
      line(get(at), constant(1), add, set(at)),
    ),
    get(next),
  ];
}

function collectBody(): number[][] {
  const [at, end, unit] = [0, 1, 2];
  const [trigram, group, place] = [3, 4, 5];
  const pair = line(get(trigram), constant(inGroup), and, constant(16), shiftLeft, get(unit), or);
  return [
    repeatWhile(
      line(get(at), get(end), isLess),
      line(get(at), numberAt(), tee(trigram), constant(0), storeByte(addressOf.seen)),
      line(get(trigram), constant(restBits), shiftRight, constant(2), shiftLeft, tee(group)),
      line(numberAt(addressOf.next), tee(place), pair, storeNumber(), pieces.advance(place)),
      line(get(group), get(place), storeNumber(addressOf.next)),
      line(get(at), constant(4), add, set(at)),
    ),
    constant(0),
  ];
}

/** Sorts the pairs of a group with a counting sort. */
function sortBody(): number[][] {
  const [first, stop, to] = [0, 1, 2];
  const [place, pair, slot, count, total] = [3, 4, 5, 6, 7];
  const slotOfPair = line(
    line(get(place), numberAt(), tee(pair), constant(16), shiftRight, constant(2), shiftLeft, set(slot)),
  );
  const counted = line(
    get(slot),
    get(slot),
    numberAt(addressOf.ends),
    constant(2),
    add,
    storeNumber(addressOf.ends),
  );
  const placed = line(
    line(get(slot), numberAt(addressOf.ends), tee(count), get(pair), storeHalf()),
    line(get(slot), get(count), constant(2), add, storeNumber(addressOf.ends)),
  );
  return [
    pieces.each(first, stop, place, line(slotOfPair, counted)),
    line(constant(0), set(slot), get(to), set(total)),
    repeatWhile(
      line(get(slot), constant(4 * (inGroup + 1)), isLess),
      line(
        get(slot),
        numberAt(addressOf.ends),
        set(count),
        get(slot),
        get(total),
        storeNumber(addressOf.ends),
      ),
      line(get(total), get(count), add, set(total), get(slot), constant(4), add, set(slot)),
    ),
    pieces.each(first, stop, place, line(slotOfPair, placed)),
    get(total),
  ];
}
