import {
  add,
  and,
  assemble,
  bitmask,
  block,
  branch,
  branchIf,
  byteAt,
  constant,
  equalBytes,
  equals,
  get,
  isLess,
  isZero,
  line,
  loop,
  multiply,
  numberAt,
  or,
  pageSize,
  repeatWhile,
  set,
  shiftLeft,
  shiftRight,
  splat,
  storeNumber,
  subtract,
  tee,
  trailingZeros,
  vectorAt,
  xor,
} from '../wasm/assemble.ts';
import { hashFactor, slotShift, slots, startFlags } from './compile-rules.ts';

/** Finds the lines of a text and what each of them begins with. It processes every byte of every indexed text. */
export interface LineExports {
  readonly memory: WebAssembly.Memory;
  /**
   * Writes a row for each line in `[at, end)` until the rows reach `full` or the text ends. There must be a newline
   * at `end`. Returns the address of the next line. Offsets in rows are addresses plus `shift`.
   */
  scan(at: number, end: number, shift: number, full: number): number;
}

/**
 * Fields of a row: the offset after the indentation, the offset of the end, the length of the indentation, and what
 * the line begins with. `length` is the number of fields.
 */
export const rowFields = { first: 0, end: 1, indent: 2, begins: 3, length: 4 } as const;
/**
 * Number of bits for the `startFlags` of the first byte in `begins`. The bits above them are 1 + the slot of the
 * first word.
 */
export const startBits = 8;

export const textBytes = 1 << 20;
export const maxRows = 1 << 12;
const rows = pageSize;
const text = rows + 4 * rowFields.length * maxRows;
/**
 * Addresses in memory: the flags of bytes at the start of a line, the bytes that occur in words, the hashes of words
 * by slot, the end of the rows, the rows, and the text.
 */
export const addressOf = {
  starts: 0,
  wordBytes: 256,
  hashes: 512,
  rowsEnd: 512 + 4 * slots,
  rows,
  text,
} as const;

/** The compiled module. Its last page is needed because vectors are read beyond the end of the text. */
export const lineModule = assemble((text + textBytes) / pageSize + 1, [
  { name: 'scan', parameters: 4, locals: 6, vectors: 1, body: scanBody() },
]);

function scanBody(): number[][] {
  const [at, end, shift, full] = [0, 1, 2, 3];
  const [first, byte, begins, hash, slot, row] = [4, 5, 6, 7, 8, 9];
  const newlines = 10;
  const advance = line(get(at), constant(1), add, tee(at), byteAt(), set(byte));
  const isBlank = line(get(byte), constant(0x20), equals, get(byte), constant(0x09), equals, or);
  const hashed = line(get(hash), constant(hashFactor), multiply, get(byte), add, set(hash));
  const slotAt = line(get(slot), constant(2), shiftLeft, numberAt(addressOf.hashes));
  const wordSlot = line(
    line(constant(0), set(hash), hashed, advance),
    block(
      line(get(begins), constant(startFlags.lone), and, branchIf(0)),
      repeatWhile(line(get(byte), byteAt(addressOf.wordBytes)), line(hashed, advance)),
    ),
    line(get(hash), get(hash), constant(slotShift), shiftRight, xor, constant(slots - 1), and, set(slot)),
    block(
      loop(
        line(slotAt, isZero, branchIf(1)),
        block(
          line(slotAt, get(hash), equals, isZero, branchIf(0)),
          line(get(slot), constant(1), add, constant(startBits), shiftLeft, get(begins), or, set(begins)),
          branch(2),
        ),
        line(get(slot), constant(1), add, constant(slots - 1), and, set(slot), branch(0)),
      ),
    ),
  );
  const endOfLine = line(
    block(
      loop(
        line(get(at), vectorAt(), get(newlines), equalBytes, bitmask, tee(byte), branchIf(1)),
        line(get(at), constant(16), add, set(at), branch(0)),
      ),
    ),
    line(get(at), get(byte), trailingZeros, add, set(at)),
  );
  const store = (field: number, ...value: readonly number[][]): number[] =>
    line(get(row), line(...value), storeNumber(4 * field));
  return [
    line(constant(0x0a), splat, set(newlines), constant(addressOf.rows), set(row)),
    repeatWhile(
      line(get(at), get(end), isLess, get(row), get(full), isLess, and),
      line(get(at), tee(first), byteAt(), set(byte), repeatWhile(isBlank, advance)),
      store(rowFields.indent, get(at), get(first), subtract),
      line(get(at), set(first), get(byte), byteAt(addressOf.starts), set(begins)),
      block(line(get(begins), isZero, branchIf(0)), wordSlot),
      endOfLine,
      store(rowFields.first, get(first), get(shift), add),
      store(rowFields.end, get(at), get(shift), add),
      store(rowFields.begins, get(begins)),
      line(get(row), constant(4 * rowFields.length), add, set(row), get(at), constant(1), add, set(at)),
    ),
    line(constant(addressOf.rowsEnd), get(row), storeNumber()),
    get(at),
  ];
}
