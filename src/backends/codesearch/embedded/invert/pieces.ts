import {
  add,
  and,
  block,
  branch,
  branchIf,
  constant,
  differs,
  equals,
  get,
  line,
  loop,
  numberAt,
  set,
  storeNumber,
  tee,
} from '../wasm/assemble.ts';

/**
 * Size of a piece, in bytes. Each group of pairs in the memory of a module is a linked list of pieces, so that
 * growing copies nothing. A small index uses one piece per group. The last pair of a piece is the address of the next
 * piece.
 */
export const piece = 1 << 14;

/** Returns the address of the first piece of a group. `pieces` is the address of the first piece of the first group. */
export function firstPiece(pieces: number, group: number): number {
  return pieces + group * piece;
}

/**
 * Instructions for pairs of a given size. The number at the address `free` is where the next new piece of any group
 * begins.
 */
export interface Pieces {
  /** Moves the local past its current pair. */
  advance(place: number): number[];
  /** Runs `visit` with the local at each pair from the address in `first` to the address in `stop`. */
  each(first: number, stop: number, place: number, visit: number[]): number[];
}

export function piecesOf(pairBytes: number, free: number): Pieces {
  const isInside = (place: number): number[] =>
    line(get(place), constant(piece - 1), and, constant(piece - pairBytes), differs);
  const skipPair = (place: number): number[] => line(get(place), constant(pairBytes), add, set(place));
  return {
    advance: (place) =>
      line(
        skipPair(place),
        block(
          line(isInside(place), branchIf(0)),
          line(get(place), constant(free), numberAt(), tee(place), storeNumber()),
          line(constant(free), get(place), constant(piece), add, storeNumber()),
        ),
      ),
    each: (first, stop, place, visit) =>
      line(
        line(get(first), set(place)),
        block(
          loop(
            line(get(place), get(stop), equals, branchIf(1)),
            block(line(isInside(place), branchIf(0)), line(get(place), numberAt(), set(place), branch(1))),
            visit,
            line(skipPair(place), branch(0)),
          ),
        ),
      ),
  };
}
