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
 * Groups of pairs in the memory of a module, each a chain of pieces, so that growing copies nothing. A small index holds
 * one piece for each of its groups. The last pair of a piece is where the next piece is.
 */
export const PIECE = 1 << 14;

/** Of a group, where those of the first begin at `pieces`. */
export function firstPiece(pieces: number, group: number): number {
  return pieces + group * PIECE;
}

/** Instructions for pairs of so many bytes; the number at `free` is where the next piece of any group begins. */
export interface Pieces {
  /** Moves the local behind the pair that it is at. */
  forth(place: number): number[];
  /** Runs `visit` with the local at each pair from the address in `first` to that in `stop`. */
  each(first: number, stop: number, place: number, visit: number[]): number[];
}

export function piecesOf(pairBytes: number, free: number): Pieces {
  const isInside = (place: number): number[] =>
    line(get(place), constant(PIECE - 1), and, constant(PIECE - pairBytes), differs);
  const behind = (place: number): number[] => line(get(place), constant(pairBytes), add, set(place));
  return {
    forth: (place) =>
      line(
        behind(place),
        block(
          line(isInside(place), branchIf(0)),
          line(get(place), constant(free), numberAt(), tee(place), storeNumber()),
          line(constant(free), get(place), constant(PIECE), add, storeNumber()),
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
            line(behind(place), branch(0)),
          ),
        ),
      ),
  };
}
