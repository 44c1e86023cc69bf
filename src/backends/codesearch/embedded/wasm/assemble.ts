/**
 * A function of a WebAssembly module that is assembled instruction by instruction. Loops over every byte of every
 * text take half the time that they take in JavaScript, stay readable, and need no build tool. Values are i32, and
 * vectors of 16 bytes.
 */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  /** Number of i32 locals after the parameters. */
  readonly locals: number;
  /** Number of vector locals after those. */
  readonly vectors?: number;
  /** Instructions that leave one i32 on the stack. */
  readonly body: readonly number[][];
}

const magic = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const i32 = 0x7f;
const v128 = 0x7b;
const voidType = 0x40;
const endOpcode = 0x0b;

/** Size of a memory page, in bytes. */
export const pageSize = 1 << 16;

/** Assembles a module that exports its functions, and a memory of `pages` pages as `memory`. */
export function assemble(pages: number, functions: readonly WasmFunction[]): WebAssembly.Module {
  const numbers = functions.map((_, index) => [index]);
  return new WebAssembly.Module(
    Uint8Array.from([
      ...magic,
      ...section(
        1,
        functions.map(({ parameters }) => [0x60, parameters, ...Array<number>(parameters).fill(i32), 1, i32]),
      ),
      ...section(3, numbers),
      ...section(5, [[1, ...unsigned(pages), ...unsigned(pages)]]),
      ...section(7, [
        exported('memory', 2, 0),
        ...functions.map(({ name }, index) => exported(name, 0, index)),
      ]),
      ...section(10, functions.map(functionBody)),
    ]),
  );
}

/** Joins instructions. */
export const line = (...parts: readonly number[][]): number[] => parts.flat();
export const get = (local: number): number[] => [0x20, local];
export const set = (local: number): number[] => [0x21, local];
export const tee = (local: number): number[] => [0x22, local];
export const constant = (value: number): number[] => [0x41, ...signed(value)];
export const block = (...body: readonly number[][]): number[] => [0x02, voidType, ...body.flat(), endOpcode];
export const loop = (...body: readonly number[][]): number[] => [0x03, voidType, ...body.flat(), endOpcode];
/** If the top of the stack is not 0, leaves the block, or restarts the loop, that is `depth` levels further out. */
export const branchIf = (depth: number): number[] => [0x0d, depth];
export const branch = (depth: number): number[] => [0x0c, depth];
/** Repeats `body` while the number that `condition` leaves is not 0. */
export const repeatWhile = (condition: number[], ...body: readonly number[][]): number[] =>
  block(loop(line(condition, isZero, branchIf(1)), ...body, branch(0)));
export const returnValue = [0x0f];
export const add = [0x6a];
export const subtract = [0x6b];
export const and = [0x71];
export const or = [0x72];
export const xor = [0x73];
export const multiply = [0x6c];
export const shiftLeft = [0x74];
export const shiftRight = [0x76];
/** Takes three numbers; leaves the first, or the second if the third is 0. */
export const select = [0x1b];
export const isZero = [0x45];
export const equals = [0x46];
export const differs = [0x47];
export const isGreater = [0x4a];
export const isLess = [0x48];
/** Compares unsigned numbers. */
export const isGreaterUnsigned = [0x4b];
export const trailingZeros = [0x68];
export const onesIn = [0x69];
/** Load and store instructions for the address on the stack plus a fixed offset; a store also takes the value. */
export const byteAt = (offset = 0): number[] => [0x2d, 0, ...unsigned(offset)];
export const numberAt = (offset = 0): number[] => [0x28, 0, ...unsigned(offset)];
export const storeByte = (offset = 0): number[] => [0x3a, 0, ...unsigned(offset)];
export const storeNumber = (offset = 0): number[] => [0x36, 0, ...unsigned(offset)];
export const halfAt = (offset = 0): number[] => [0x2f, 0, ...unsigned(offset)];
export const storeHalf = (offset = 0): number[] => [0x3b, 0, ...unsigned(offset)];
/** Fills memory; takes an address, a byte value and a length. */
export const fill = [0xfc, 0x0b, 0];
export const splat = [0xfd, 0x0f];
export const vectorAt = (offset = 0): number[] => [0xfd, 0x00, 0, ...unsigned(offset)];
export const equalBytes = [0xfd, 0x23];
export const vectorAnd = [0xfd, 0x4e];
export const vectorOr = [0xfd, 0x50];
export const anyTrue = [0xfd, 0x53];
export const bitmask = [0xfd, 0x64];

function functionBody({ locals, vectors = 0, body }: WasmFunction): number[] {
  const groups = [[locals, i32], ...(vectors === 0 ? [] : [[vectors, v128]])];
  const bytes = [groups.length, ...groups.flat(), ...body.flat(), endOpcode];
  return [...unsigned(bytes.length), ...bytes];
}

function exported(name: string, kind: number, index: number): number[] {
  return [name.length, ...Buffer.from(name, 'latin1'), kind, index];
}

function section(id: number, entries: readonly number[][]): number[] {
  const bytes = [...unsigned(entries.length), ...entries.flat()];
  return [id, ...unsigned(bytes.length), ...bytes];
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  if (value >= -64 && value < 64) return [value & 0x7f];
  return [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
