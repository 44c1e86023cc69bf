import {
  add,
  and,
  anyTrue,
  assemble,
  bitmask,
  block,
  branch,
  branchIf,
  byteAt,
  constant,
  differs,
  equalBytes,
  get,
  isGreater,
  isLess,
  isZero,
  line,
  loop,
  onesIn,
  or,
  returnValue,
  set,
  splat,
  subtract,
  tee,
  trailingZeros,
  vectorAnd,
  vectorAt,
  vectorOr,
} from '../../wasm/assemble.ts';

/**
 * A byte search as a WebAssembly module of vector instructions. It takes a third of the time of `Buffer.indexOf`, on
 * which every code search depends, and searches case-insensitive letters equally fast.
 */
export interface ScanExports {
  readonly memory: WebAssembly.Memory;
  /**
   * Returns the address of the first occurrence of the needle in `[at, end)`, or -1. `text | mask` is compared with
   * the needle, byte by byte; `first` and `second` are the offsets of two rare bytes in the needle. Reads up to 64
   * bytes after `end`.
   */
  find(
    at: number,
    end: number,
    needle: number,
    mask: number,
    length: number,
    first: number,
    second: number,
  ): number;
  /** Returns the number of bytes in `[at, end)` that equal `byte`. */
  count(at: number, end: number, byte: number): number;
}

/** Compiles the module. Every thread has an instance with its own memory. `pages` are of 64 KB. */
export function scanModule(pages: number): WebAssembly.Module {
  return assemble(pages, [
    { name: 'find', parameters: 7, locals: 4, vectors: 4, body: findBody() },
    { name: 'count', parameters: 3, locals: 1, vectors: 1, body: countBody() },
  ]);
}

function findBody(): number[][] {
  const [at, end, needle, mask, length, first, second, last, bits, start, index] = numbered(0);
  const [firstByte, firstMask, secondByte, secondMask] = numbered(11);
  /** Marks those of the 16 positions from `at + offset` at which both rare bytes match. */
  const positions = (offset: number): number[] =>
    line(
      line(get(at), get(first), add, vectorAt(offset), get(firstMask), vectorOr, get(firstByte), equalBytes),
      line(get(at), get(second), add, vectorAt(offset), get(secondMask), vectorOr, get(secondByte)),
      line(equalBytes, vectorAnd),
    );
  const compareNeedle = block(
    line(constant(0), set(index)),
    loop(
      line(get(start), get(index), add, byteAt(), get(mask), get(index), add, byteAt(), or),
      line(get(needle), get(index), add, byteAt(), differs, branchIf(1)),
      line(get(index), constant(1), add, tee(index), get(length), isLess, branchIf(0)),
      line(get(start), returnValue),
    ),
  );
  const checkPositions = block(
    loop(
      line(get(bits), isZero, branchIf(1)),
      line(get(at), get(bits), trailingZeros, add, tee(start), get(last), isGreater, branchIf(3)),
      compareNeedle,
      line(get(bits), get(bits), constant(1), subtract, and, set(bits), branch(0)),
    ),
  );
  return [
    line(get(end), get(length), subtract, set(last)),
    line(repeated(needle, first, firstByte), repeated(mask, first, firstMask)),
    line(repeated(needle, second, secondByte), repeated(mask, second, secondMask)),
    block(
      loop(
        line(get(at), get(last), isGreater, branchIf(1)),
        block(
          line(positions(0), positions(16), vectorOr, positions(32), positions(48), vectorOr, vectorOr),
          line(anyTrue, branchIf(0), get(at), constant(64), add, set(at), branch(1)),
        ),
        line(positions(0), bitmask, set(bits)),
        checkPositions,
        line(get(at), constant(16), add, set(at), branch(0)),
      ),
    ),
    constant(-1),
  ];
}

function repeated(source: number, offset: number, into: number): number[] {
  return line(get(source), get(offset), add, byteAt(), splat, set(into));
}

function countBody(): number[][] {
  const [at, end, byte, total, wanted] = numbered(0);
  const sixteen = loop(
    line(get(at), constant(16), add, get(end), isGreater, branchIf(1)),
    line(get(total), get(at), vectorAt(), get(wanted), equalBytes, bitmask, onesIn, add, set(total)),
    line(get(at), constant(16), add, set(at), branch(0)),
  );
  const rest = loop(
    line(get(at), get(end), isLess, isZero, branchIf(1)),
    line(get(total), get(at), byteAt(), get(byte), differs, isZero, add, set(total)),
    line(get(at), constant(1), add, set(at), branch(0)),
  );
  return [get(byte), splat, set(wanted), block(sixteen), block(rest), get(total)];
}

/** Returns consecutive numbers of locals, in their order: parameters first. */
function numbered(from: number): Locals {
  return Array.from({ length: 11 }, (_, index) => from + index) as unknown as Locals;
}

type Locals = readonly [
  ...[number, number, number, number, number, number, number, number, number, number, number],
];
