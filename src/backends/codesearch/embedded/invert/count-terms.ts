import {
  add,
  and,
  block,
  branch,
  branchIf,
  constant,
  differs,
  equals,
  get,
  isLess,
  isZero,
  line,
  loop,
  numberAt,
  or,
  repeatWhile,
  select,
  set,
  shiftLeft,
  shiftRight,
  storeNumber,
  subtract,
  tee,
  type WasmFunction,
  xor,
} from '../wasm/assemble.ts';
import { piecesOf } from './pieces.ts';
import { AT, GROUP_BITS, MOST_TERMS_OF_DOCUMENT, PAIR } from './term-layout.ts';

const pieces = piecesOf(PAIR, AT.free);

/**
 * Slots that are looked at for one term. Words that were not chosen for it need far fewer; words made to collide would take the
 * square of their number.
 */
const MOST_PROBES = 128;

/**
 * `count` of `TermExports`. Open addressing over hashes that are already well spread, never more than half full. A count
 * of 0 is a free slot.
 */
export function countBody(): WasmFunction {
  const [at, end, weight] = [0, 1, 2];
  const [term, slot, count, taken, probes] = [3, 4, 5, 6, 7];
  const slotOf = line(
    line(get(term), get(term), constant(15), shiftRight, xor, constant(AT.mask), numberAt(), and),
    line(constant(3), shiftLeft, set(slot)),
  );
  const nextSlot = line(
    line(get(slot), constant(3), shiftRight, constant(1), add, constant(AT.mask), numberAt(), and),
    line(constant(3), shiftLeft, set(slot)),
  );
  /** Out of it with the slot of the term, or a free one; out of the block around where neither is near. */
  const find = block(
    line(constant(MOST_PROBES), set(probes)),
    loop(
      line(get(slot), numberAt(AT.slots + 4), tee(count), isZero, branchIf(1)),
      line(get(slot), numberAt(AT.slots), get(term), equals, branchIf(1)),
      line(nextSlot, get(probes), constant(1), subtract, tee(probes), branchIf(0), branch(2)),
    ),
  );
  const take = block(
    line(get(count), branchIf(0)),
    // No room for another term: this one is passed over.
    line(get(taken), constant(MOST_TERMS_OF_DOCUMENT), equals, branchIf(1)),
    line(get(taken), constant(2), shiftLeft, get(slot), storeNumber(AT.takenSlots)),
    line(get(taken), constant(1), add, set(taken), get(slot), get(term), storeNumber(AT.slots)),
  );
  const body = [
    line(constant(AT.taken), numberAt(), set(taken)),
    repeatWhile(
      line(get(at), get(end), isLess),
      block(
        line(get(at), numberAt(), set(term), slotOf, find, take),
        line(get(slot), get(count), get(weight), add, storeNumber(AT.slots + 4)),
      ),
      line(get(at), constant(4), add, set(at)),
    ),
    line(constant(AT.taken), get(taken), storeNumber()),
    get(taken),
  ];
  return { name: 'count', parameters: 3, locals: 5, body };
}

/** `gather` of `TermExports`. */
export function gatherBody(): WasmFunction {
  const [document] = [0];
  const [at, end, slot, term, count, group, place] = [1, 2, 3, 4, 5, 6, 7];
  const capped = line(get(count), constant(0xffff), get(count), constant(0xffff), isLess, select);
  const body = [
    line(constant(AT.taken), numberAt(), constant(2), shiftLeft, set(end)),
    repeatWhile(
      line(get(at), get(end), differs),
      line(get(at), numberAt(AT.takenSlots), tee(slot), numberAt(AT.slots), set(term)),
      line(get(slot), numberAt(AT.slots + 4), set(count), get(slot), constant(0), storeNumber(AT.slots + 4)),
      line(get(term), constant(32 - GROUP_BITS), shiftRight, constant(2), shiftLeft, tee(group)),
      line(numberAt(AT.next), tee(place), get(term), storeNumber()),
      line(get(place), get(document), constant(16), shiftLeft, capped, or, storeNumber(4)),
      line(pieces.forth(place), get(group), get(place), storeNumber(AT.next)),
      line(get(at), constant(4), add, set(at)),
    ),
    line(constant(AT.taken), constant(0), storeNumber()),
    get(end),
  ];
  return { name: 'gather', parameters: 1, locals: 7, body };
}
