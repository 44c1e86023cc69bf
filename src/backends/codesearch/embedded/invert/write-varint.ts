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

/**
 * Generates instructions that write a varint (`format/varint.ts`) of up to 32 bits: the local `rest` at the address
 * in the local `at`, which is moved past it. `rest` is destroyed.
 */
export function writeVarint(at: number, rest: number): number[] {
  const advance = line(get(at), constant(1), add, set(at));
  return line(
    repeatWhile(
      line(get(rest), constant(0x7f), isGreaterUnsigned),
      line(get(at), get(rest), constant(0x80), or, storeByte(), advance),
      line(get(rest), constant(7), shiftRight, set(rest)),
    ),
    line(get(at), get(rest), storeByte(), advance),
  );
}
