import { TRIGRAMS } from '../format/trigram.ts';
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
import { AT, IN_GROUP, PAGES, REST_BITS } from './trigram-layout.ts';

/** Takes the distinct trigrams out of text and inverts them: less than half the time of the same loops in JavaScript. */
export interface TrigramExports {
  readonly memory: WebAssembly.Memory;
  /**
   * Writes the trigrams of `[at, end)` that were not seen before from `next` on, a number each, and gives where they
   * end. `last` is the trigram that the text before ends with. Writes up to 4 bytes behind the end.
   */
  note(at: number, end: number, next: number, last: number): number;
  /** Adds the numbers in `[at, end)` to their groups, each as its rest << 16 | unit. They count as not seen any more. */
  gather(at: number, end: number, unit: number): number;
  /**
   * Writes the units of a group from `to` on, by trigrams, and gives where they end; leaves in `ends` where those of each
   * trigram do. The group begins at `first` and ends at `stop`.
   */
  sort(first: number, stop: number, to: number): number;
  /**
   * Writes postings and rows of the trigrams from `rest` on, whose units begin at `from`: differences, or a bit a unit
   * where that is shorter. Gives the trigram that has to be next, since there is room for so many postings only.
   */
  encode(rest: number, from: number, bitmapBytes: number): number;
}

const pieces = piecesOf(4, AT.free);

/** Compiled once, since every repository takes an instance of its own. */
export const trigramModule = assemble(PAGES, [
  { name: 'note', parameters: 4, locals: 3, body: noteBody() },
  { name: 'gather', parameters: 3, locals: 3, body: gatherBody() },
  { name: 'sort', parameters: 3, locals: 5, body: sortBody() },
  encodeBody(),
]);

/**
 * Four bytes a round, so that their look-ups overlap. Each trigram is written, and the next one over it where it was
 * seen: nobody can foresee which are new, and a wrong guess costs more than a write.
 */
function noteBody(): number[][] {
  const [at, end, next, last] = [0, 1, 2, 3];
  const [first, second, third] = [4, 5, 6];
  const trigram = (before: number, offset: number, into: number): number[] =>
    line(
      line(get(before), constant(7), shiftLeft, get(at), byteAt(offset), byteAt(AT.fold), or),
      line(constant(TRIGRAMS - 1), and, set(into)),
    );
  const keep = (found: number): number[] =>
    line(
      line(get(next), get(found), storeNumber()),
      line(constant(1), get(found), byteAt(AT.seen), subtract, constant(2), shiftLeft),
      line(get(next), add, set(next)),
      line(get(found), constant(1), storeByte(AT.seen)),
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

function gatherBody(): number[][] {
  const [at, end, unit] = [0, 1, 2];
  const [trigram, group, place] = [3, 4, 5];
  const pair = line(get(trigram), constant(IN_GROUP), and, constant(16), shiftLeft, get(unit), or);
  return [
    repeatWhile(
      line(get(at), get(end), isLess),
      line(get(at), numberAt(), tee(trigram), constant(0), storeByte(AT.seen)),
      line(get(trigram), constant(REST_BITS), shiftRight, constant(2), shiftLeft, tee(group)),
      line(numberAt(AT.next), tee(place), pair, storeNumber(), pieces.forth(place)),
      line(get(group), get(place), storeNumber(AT.next)),
      line(get(at), constant(4), add, set(at)),
    ),
    constant(0),
  ];
}

/** Counting sort. */
function sortBody(): number[][] {
  const [first, stop, to] = [0, 1, 2];
  const [place, pair, slot, count, total] = [3, 4, 5, 6, 7];
  const slotOfPair = line(
    line(get(place), numberAt(), tee(pair), constant(16), shiftRight, constant(2), shiftLeft, set(slot)),
  );
  const counted = line(get(slot), get(slot), numberAt(AT.ends), constant(2), add, storeNumber(AT.ends));
  const placed = line(
    line(get(slot), numberAt(AT.ends), tee(count), get(pair), storeHalf()),
    line(get(slot), get(count), constant(2), add, storeNumber(AT.ends)),
  );
  return [
    pieces.each(first, stop, place, line(slotOfPair, counted)),
    line(constant(0), set(slot), get(to), set(total)),
    repeatWhile(
      line(get(slot), constant(4 * (IN_GROUP + 1)), isLess),
      line(get(slot), numberAt(AT.ends), set(count), get(slot), get(total), storeNumber(AT.ends)),
      line(get(total), get(count), add, set(total), get(slot), constant(4), add, set(slot)),
    ),
    pieces.each(first, stop, place, line(slotOfPair, placed)),
    get(total),
  ];
}
