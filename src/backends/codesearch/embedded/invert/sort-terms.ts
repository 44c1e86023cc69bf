import {
  add,
  and,
  constant,
  get,
  isLess,
  line,
  numberAt,
  repeatWhile,
  set,
  shiftLeft,
  shiftRight,
  storeNumber,
  subtract,
  tee,
  type WasmFunction,
} from '../wasm/assemble.ts';
import { piecesOf } from './pieces.ts';
import { addressOf, digitBits, digits, pair } from './term-layout.ts';

const [first, stop, to] = [0, 1, 2];
const [place, slot, count, total, middle] = [3, 4, 5, 6, 7];
const pieces = piecesOf(pair, addressOf.free);

/** `sort` of `TermExports`: a radix sort from the low digit, which keeps the order of documents. */
export function sortBody(): WasmFunction {
  const counted = line(
    line(
      digitOf(0),
      get(slot),
      get(slot),
      numberAt(addressOf.low),
      constant(pair),
      add,
      storeNumber(addressOf.low),
    ),
    line(digitOf(digitBits), get(slot), get(slot), numberAt(addressOf.high), constant(pair), add),
    line(storeNumber(addressOf.high), get(middle), constant(pair), add, set(middle)),
  );
  const body = [
    line(get(to), set(middle), pieces.each(first, stop, place, counted)),
    line(get(to), set(total), startsOf(addressOf.low), get(middle), set(total), startsOf(addressOf.high)),
    pieces.each(first, stop, place, line(digitOf(0), moved(addressOf.low))),
    line(get(to), set(place)),
    repeatWhile(
      line(get(place), get(middle), isLess),
      line(digitOf(digitBits), moved(addressOf.high), get(place), constant(pair), add, set(place)),
    ),
    line(get(middle), get(middle), get(to), subtract, add),
  ];
  return { name: 'sort', parameters: 3, locals: 5, body };
}

/** Sets `slot` to the byte offset of the digit, starting at `bit`, of the pair at `place`. */
function digitOf(bit: number): number[] {
  const digit = line(get(place), numberAt(), constant(bit), shiftRight, constant(digits - 1), and);
  return line(digit, constant(2), shiftLeft, set(slot));
}

/** Converts the size of each digit to its start address; the first is at `total`. */
function startsOf(table: number): number[] {
  return line(
    line(constant(0), set(slot)),
    repeatWhile(
      line(get(slot), constant(4 * digits), isLess),
      line(get(slot), numberAt(table), set(count), get(slot), get(total), storeNumber(table)),
      line(get(total), get(count), add, set(total), get(slot), constant(4), add, set(slot)),
    ),
  );
}

function moved(table: number): number[] {
  return line(
    line(get(slot), numberAt(table), tee(count), get(place), numberAt(), storeNumber()),
    line(get(count), get(place), numberAt(4), storeNumber(4)),
    line(get(slot), get(count), constant(pair), add, storeNumber(table)),
  );
}
