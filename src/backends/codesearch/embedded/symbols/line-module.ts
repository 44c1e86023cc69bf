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
  PAGE,
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
import { HASH_FACTOR, SLOT_SHIFT, SLOTS, STARTS } from './compile-rules.ts';

/** Finds the lines of text and what each begins with. Every byte of every indexed text passes through here. */
export interface LineExports {
  readonly memory: WebAssembly.Memory;
  /**
   * Writes a row for each line in `[at, end)`, where a newline stands at `end`, too: until the rows are at `full` or the
   * text ends. Gives where the next line begins. Offsets in rows are addresses and `shift`.
   */
  scan(at: number, end: number, shift: number, full: number): number;
}

/** Of a row, in numbers: the offset behind the indentation, of the end, the indentation, and what the line begins with. */
export const ROW = { first: 0, end: 1, indent: 2, begins: 3, length: 4 } as const;
/** What a line begins with: `STARTS` of its first byte, and above these bits 1 + the slot of its first word. */
export const START_BITS = 8;

export const TEXT_BYTES = 1 << 20;
export const ROWS = 1 << 12;
const rows = PAGE;
const text = rows + 4 * ROW.length * ROWS;
/**
 * Addresses: what a byte at the start of a line may begin, which bytes are of words, the hashes of words by slots, where
 * the rows end, the rows, and the text.
 */
export const AT = { starts: 0, wordBytes: 256, hashes: 512, rowsEnd: 512 + 4 * SLOTS, rows, text } as const;

/** Vectors are read beyond the end of text. */
export const lineModule = assemble((text + TEXT_BYTES) / PAGE + 1, [
  { name: 'scan', parameters: 4, locals: 6, vectors: 1, body: scanBody() },
]);

function scanBody(): number[][] {
  const [at, end, shift, full] = [0, 1, 2, 3];
  const [first, byte, begins, hash, slot, row] = [4, 5, 6, 7, 8, 9];
  const newlines = 10;
  const forth = line(get(at), constant(1), add, tee(at), byteAt(), set(byte));
  const isBlank = line(get(byte), constant(0x20), equals, get(byte), constant(0x09), equals, or);
  const hashed = line(get(hash), constant(HASH_FACTOR), multiply, get(byte), add, set(hash));
  const slotAt = line(get(slot), constant(2), shiftLeft, numberAt(AT.hashes));
  const wordSlot = line(
    line(constant(0), set(hash), hashed, forth),
    block(
      line(get(begins), constant(STARTS.lone), and, branchIf(0)),
      repeatWhile(line(get(byte), byteAt(AT.wordBytes)), line(hashed, forth)),
    ),
    line(get(hash), get(hash), constant(SLOT_SHIFT), shiftRight, xor, constant(SLOTS - 1), and, set(slot)),
    block(
      loop(
        line(slotAt, isZero, branchIf(1)),
        block(
          line(slotAt, get(hash), equals, isZero, branchIf(0)),
          line(get(slot), constant(1), add, constant(START_BITS), shiftLeft, get(begins), or, set(begins)),
          branch(2),
        ),
        line(get(slot), constant(1), add, constant(SLOTS - 1), and, set(slot), branch(0)),
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
    line(constant(0x0a), splat, set(newlines), constant(AT.rows), set(row)),
    repeatWhile(
      line(get(at), get(end), isLess, get(row), get(full), isLess, and),
      line(get(at), tee(first), byteAt(), set(byte), repeatWhile(isBlank, forth)),
      store(ROW.indent, get(at), get(first), subtract),
      line(get(at), set(first), get(byte), byteAt(AT.starts), set(begins)),
      block(line(get(begins), isZero, branchIf(0)), wordSlot),
      endOfLine,
      store(ROW.first, get(first), get(shift), add),
      store(ROW.end, get(at), get(shift), add),
      store(ROW.begins, get(begins)),
      line(get(row), constant(4 * ROW.length), add, set(row), get(at), constant(1), add, set(at)),
    ),
    line(constant(AT.rowsEnd), get(row), storeNumber()),
    get(at),
  ];
}
