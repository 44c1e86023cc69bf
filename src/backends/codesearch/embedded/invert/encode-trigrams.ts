import {
  add,
  and,
  block,
  branch,
  branchIf,
  byteAt,
  constant,
  equals,
  fill,
  get,
  halfAt,
  isGreater,
  isLess,
  line,
  loop,
  numberAt,
  or,
  repeatWhile,
  set,
  shiftLeft,
  shiftRight,
  storeByte,
  storeNumber,
  subtract,
  tee,
  type WasmFunction,
} from '../wasm/assemble.ts';
import { addressOf, inGroup, postingsBytes } from './trigram-layout.ts';
import { writeVarint } from './write-varint.ts';

const [rest, from, bitmapBytes] = [0, 1, 2];
const [at, begin, to, unit, last, dense, row, place, difference, address] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** `encode` of `TrigramExports`. */
export function encodeBody(): WasmFunction {
  return { name: 'encode', parameters: 3, locals: 10, body: body() };
}

function body(): number[][] {
  const next = line(get(rest), constant(1), add, set(rest));
  const endOfUnits = line(get(rest), constant(2), shiftLeft, numberAt(addressOf.ends));
  return [
    line(constant(addressOf.postings), set(at), constant(addressOf.rows), set(row)),
    block(
      loop(
        line(get(rest), constant(inGroup), isGreater, branchIf(1)),
        line(get(at), constant(addressOf.postings + postingsBytes), isGreater, branchIf(1)),
        block(
          line(endOfUnits, tee(to), get(from), equals, branchIf(0)),
          line(get(at), set(begin), constant(1), set(dense)),
          writeList(),
          writeBitmap(),
          line(get(row), get(rest), constant(1), shiftLeft, get(dense), or, storeNumber()),
          line(get(row), get(at), get(begin), subtract, storeNumber(4)),
          line(get(row), constant(8), add, set(row), get(to), set(from)),
        ),
        line(next, branch(0)),
      ),
    ),
    line(
      constant(addressOf.postingsEnd),
      get(at),
      storeNumber(),
      constant(addressOf.rowsEnd),
      get(row),
      storeNumber(),
    ),
    get(rest),
  ];
}

/** Writes the differences as varints, unless there are so many units that a bitmap is always shorter. */
function writeList(): number[] {
  return block(
    line(get(to), get(from), subtract, constant(1), shiftRight, get(bitmapBytes), isGreater, branchIf(0)),
    line(constant(-1), set(last), get(from), set(place)),
    repeatWhile(
      line(get(place), get(to), isLess),
      line(get(place), halfAt(), tee(unit), get(last), subtract, constant(1), subtract),
      line(set(difference), get(unit), set(last)),
      writeVarint(at, difference),
      line(get(place), constant(2), add, set(place)),
    ),
    line(get(at), get(begin), subtract, get(bitmapBytes), isGreater, set(dense)),
  );
}

function writeBitmap(): number[] {
  const byte = line(get(begin), get(unit), constant(3), shiftRight, add);
  return block(
    line(get(dense), constant(1), subtract, branchIf(0)),
    line(get(begin), constant(0), get(bitmapBytes), fill, get(from), set(place)),
    repeatWhile(
      line(get(place), get(to), isLess),
      line(get(place), halfAt(), set(unit), byte, tee(address), get(address), byteAt()),
      line(constant(1), get(unit), constant(7), and, shiftLeft, or, storeByte()),
      line(get(place), constant(2), add, set(place)),
    ),
    line(get(begin), get(bitmapBytes), add, set(at)),
  );
}
