import {
  add,
  constant,
  get,
  isGreaterUnsigned,
  line,
  or,
  repeatWhile,
  set,
  shiftRight,
  storeByte,
} from '../wasm/assemble.ts';

/** As of `format/varint.ts`, for kernels: writes the local `rest` where the local `at` is, and moves that on. Of up to 32 bits; nothing is left of the value. */
export function writeVarint(at: number, rest: number): number[] {
  const forth = line(get(at), constant(1), add, set(at));
  return line(
    repeatWhile(
      line(get(rest), constant(0x7f), isGreaterUnsigned),
      line(get(at), get(rest), constant(0x80), or, storeByte(), forth),
      line(get(rest), constant(7), shiftRight, set(rest)),
    ),
    line(get(at), get(rest), storeByte(), forth),
  );
}
