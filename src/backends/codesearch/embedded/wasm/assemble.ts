/**
 * WebAssembly modules, put together instruction by instruction: what runs over every byte of every text takes half
 * of the time that it takes in JavaScript, can be read, and needs no tool to build. Values are i32, and vectors of 16 bytes.
 */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  /** Numbers behind the parameters. */
  readonly locals: number;
  /** Behind those. */
  readonly vectors?: number;
  /** Leaves one i32. */
  readonly body: readonly number[][];
}

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const I32 = 0x7f;
const V128 = 0x7b;
const VOID = 0x40;
const END = 0x0b;

/** Bytes that memory is taken by. */
export const PAGE = 1 << 16;

/** A module that exports its functions, and as `memory` so many pages. */
export function assemble(pages: number, functions: readonly WasmFunction[]): WebAssembly.Module {
  const numbers = functions.map((_, index) => [index]);
  return new WebAssembly.Module(
    Uint8Array.from([
      ...MAGIC,
      ...section(
        1,
        functions.map(({ parameters }) => [0x60, parameters, ...Array<number>(parameters).fill(I32), 1, I32]),
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

/** Instructions that belong together. */
export const line = (...parts: readonly number[][]): number[] => parts.flat();
export const get = (local: number): number[] => [0x20, local];
export const set = (local: number): number[] => [0x21, local];
export const tee = (local: number): number[] => [0x22, local];
export const constant = (value: number): number[] => [0x41, ...signed(value)];
export const block = (...body: readonly number[][]): number[] => [0x02, VOID, ...body.flat(), END];
export const loop = (...body: readonly number[][]): number[] => [0x03, VOID, ...body.flat(), END];
/** Leaves the block, or begins the loop again, that is `depth` further out, where the top of the stack is not 0. */
export const branchIf = (depth: number): number[] => [0x0d, depth];
export const branch = (depth: number): number[] => [0x0c, depth];
/** Runs `body` again and again as long as the number that `condition` leaves is not 0. */
export const repeatWhile = (condition: number[], ...body: readonly number[][]): number[] =>
  block(loop(line(condition, isZero, branchIf(1)), ...body, branch(0)));
export const giveBack = [0x0f];
export const add = [0x6a];
export const subtract = [0x6b];
export const and = [0x71];
export const or = [0x72];
export const xor = [0x73];
export const multiply = [0x6c];
export const shiftLeft = [0x74];
export const shiftRight = [0x76];
/** Of three numbers the first, or the second where the third is 0. */
export const select = [0x1b];
export const isZero = [0x45];
export const equals = [0x46];
export const differs = [0x47];
export const isGreater = [0x4a];
export const isLess = [0x48];
/** Of numbers without a sign. */
export const isGreaterUnsigned = [0x4b];
export const trailingZeros = [0x68];
export const onesIn = [0x69];
/** Of the address on the stack and a fixed offset to it; a store takes the value, too. */
export const byteAt = (offset = 0): number[] => [0x2d, 0, ...unsigned(offset)];
export const numberAt = (offset = 0): number[] => [0x28, 0, ...unsigned(offset)];
export const storeByte = (offset = 0): number[] => [0x3a, 0, ...unsigned(offset)];
export const storeNumber = (offset = 0): number[] => [0x36, 0, ...unsigned(offset)];
export const halfAt = (offset = 0): number[] => [0x2f, 0, ...unsigned(offset)];
export const storeHalf = (offset = 0): number[] => [0x3b, 0, ...unsigned(offset)];
/** Of memory: takes an address, a byte and how many. */
export const fill = [0xfc, 0x0b, 0];
export const splat = [0xfd, 0x0f];
export const vectorAt = (offset = 0): number[] => [0xfd, 0x00, 0, ...unsigned(offset)];
export const equalBytes = [0xfd, 0x23];
export const vectorAnd = [0xfd, 0x4e];
export const vectorOr = [0xfd, 0x50];
export const anyTrue = [0xfd, 0x53];
export const bitmask = [0xfd, 0x64];

function functionBody({ locals, vectors = 0, body }: WasmFunction): number[] {
  const groups = [[locals, I32], ...(vectors === 0 ? [] : [[vectors, V128]])];
  const bytes = [groups.length, ...groups.flat(), ...body.flat(), END];
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
