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
import { addressOf, groupBits, maxTermsOfDocument, pair } from './term-layout.ts';

const pieces = piecesOf(pair, addressOf.free);

/**
 * Maximum number of slots probed for one term. Ordinary words need far fewer; without a limit, words chosen to
 * collide would take quadratic time.
 */
const maxProbes = 128;

/**
 * `count` of `TermExports`. Uses open addressing over hashes that are already well distributed, at most half full. A
 * count of 0 marks a free slot.
 */
export function countBody(): WasmFunction {
  const [at, end, weight] = [0, 1, 2];
  const [term, slot, count, taken, probes] = [3, 4, 5, 6, 7];
  const slotOf = line(
    line(get(term), get(term), constant(15), shiftRight, xor, constant(addressOf.mask), numberAt(), and),
    line(constant(3), shiftLeft, set(slot)),
  );
  const nextSlot = line(
    line(get(slot), constant(3), shiftRight, constant(1), add, constant(addressOf.mask), numberAt(), and),
    line(constant(3), shiftLeft, set(slot)),
  );
  /** Leaves this block with the slot of the term or a free slot; leaves the outer block if neither is near. */
  const find = block(
    line(constant(maxProbes), set(probes)),
    loop(
      line(get(slot), numberAt(addressOf.slots + 4), tee(count), isZero, branchIf(1)),
      line(get(slot), numberAt(addressOf.slots), get(term), equals, branchIf(1)),
      line(nextSlot, get(probes), constant(1), subtract, tee(probes), branchIf(0), branch(2)),
    ),
  );
  const take = block(
    line(get(count), branchIf(0)),
    // The table is full: the term is skipped.
    line(get(taken), constant(maxTermsOfDocument), equals, branchIf(1)),
    line(get(taken), constant(2), shiftLeft, get(slot), storeNumber(addressOf.takenSlots)),
    line(get(taken), constant(1), add, set(taken), get(slot), get(term), storeNumber(addressOf.slots)),
  );
  const body = [
    line(constant(addressOf.taken), numberAt(), set(taken)),
    repeatWhile(
      line(get(at), get(end), isLess),
      block(
        line(get(at), numberAt(), set(term), slotOf, find, take),
        line(get(slot), get(count), get(weight), add, storeNumber(addressOf.slots + 4)),
      ),
      line(get(at), constant(4), add, set(at)),
    ),
    line(constant(addressOf.taken), get(taken), storeNumber()),
    get(taken),
  ];
  return { name: 'count', parameters: 3, locals: 5, body };
}

/** `collect` of `TermExports`. */
export function collectBody(): WasmFunction {
  const [document] = [0];
  const [at, end, slot, term, count, group, place] = [1, 2, 3, 4, 5, 6, 7];
  const capped = line(get(count), constant(0xffff), get(count), constant(0xffff), isLess, select);
  const body = [
    line(constant(addressOf.taken), numberAt(), constant(2), shiftLeft, set(end)),
    repeatWhile(
      line(get(at), get(end), differs),
      line(get(at), numberAt(addressOf.takenSlots), tee(slot), numberAt(addressOf.slots), set(term)),
      line(
        get(slot),
        numberAt(addressOf.slots + 4),
        set(count),
        get(slot),
        constant(0),
        storeNumber(addressOf.slots + 4),
      ),
      line(get(term), constant(32 - groupBits), shiftRight, constant(2), shiftLeft, tee(group)),
      line(numberAt(addressOf.next), tee(place), get(term), storeNumber()),
      line(get(place), get(document), constant(16), shiftLeft, capped, or, storeNumber(4)),
      line(pieces.advance(place), get(group), get(place), storeNumber(addressOf.next)),
      line(get(at), constant(4), add, set(at)),
    ),
    line(constant(addressOf.taken), constant(0), storeNumber()),
    get(end),
  ];
  return { name: 'collect', parameters: 1, locals: 7, body };
}
