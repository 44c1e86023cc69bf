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
import { AT, DIGIT_BITS, DIGITS, PAIR } from './term-layout.ts';

const [first, stop, to] = [0, 1, 2];
const [place, slot, count, total, middle] = [3, 4, 5, 6, 7];
const pieces = piecesOf(PAIR, AT.free);

/** `sort` of `TermExports`: a radix sort from the low digit, which leaves documents in order. */
export function sortBody(): WasmFunction {
  const counted = line(
    line(digitOf(0), get(slot), get(slot), numberAt(AT.low), constant(PAIR), add, storeNumber(AT.low)),
    line(digitOf(DIGIT_BITS), get(slot), get(slot), numberAt(AT.high), constant(PAIR), add),
    line(storeNumber(AT.high), get(middle), constant(PAIR), add, set(middle)),
  );
  const body = [
    line(get(to), set(middle), pieces.each(first, stop, place, counted)),
    line(get(to), set(total), startsOf(AT.low), get(middle), set(total), startsOf(AT.high)),
    pieces.each(first, stop, place, line(digitOf(0), moved(AT.low))),
    line(get(to), set(place)),
    repeatWhile(
      line(get(place), get(middle), isLess),
      line(digitOf(DIGIT_BITS), moved(AT.high), get(place), constant(PAIR), add, set(place)),
    ),
    line(get(middle), get(middle), get(to), subtract, add),
  ];
  return { name: 'sort', parameters: 3, locals: 5, body };
}

/** Into `slot`, in bytes: the digit of the pair at `place` that begins with this bit. */
function digitOf(bit: number): number[] {
  const digit = line(get(place), numberAt(), constant(bit), shiftRight, constant(DIGITS - 1), and);
  return line(digit, constant(2), shiftLeft, set(slot));
}

/** Makes of what each digit takes where it starts; the first at `total`. */
function startsOf(table: number): number[] {
  return line(
    line(constant(0), set(slot)),
    repeatWhile(
      line(get(slot), constant(4 * DIGITS), isLess),
      line(get(slot), numberAt(table), set(count), get(slot), get(total), storeNumber(table)),
      line(get(total), get(count), add, set(total), get(slot), constant(4), add, set(slot)),
    ),
  );
}

function moved(table: number): number[] {
  return line(
    line(get(slot), numberAt(table), tee(count), get(place), numberAt(), storeNumber()),
    line(get(count), get(place), numberAt(4), storeNumber(4)),
    line(get(slot), get(count), constant(PAIR), add, storeNumber(table)),
  );
}
