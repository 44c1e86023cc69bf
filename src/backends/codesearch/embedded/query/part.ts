/** One of several threads that share a search: which shards it looks at, and what all of them have found so far. */
export interface Part {
  readonly index: number;
  readonly of: number;
  /** So many hits of this part are in a window. Said again where a part has to begin anew. */
  found(window: number, hits: number): void;
  /** Hits of all parts before the window. Grows until all are done. */
  hitsBefore(window: number): number;
  /** This part is done; returns when all are. True when the deadline came first. */
  finish(isOver: () => boolean): boolean;
}

/** What crosses between threads. `shared` has a row a part: whether it is done, then its hits of each window. */
export interface PartPlace {
  readonly index: number;
  readonly of: number;
  readonly shared: Int32Array;
}

/** Windows that can be shared; behind them nobody tells the others. */
export const MOST_WINDOWS = 4096;
const ROW = 1 + MOST_WINDOWS;
/** How often who waits for the others looks at the clock. */
const LOOK_AGAIN_MS = 10;

export function placesOf(parts: number): readonly PartPlace[] {
  const shared = new Int32Array(new SharedArrayBuffer(4 * ROW * parts));
  return Array.from({ length: parts }, (_, index) => ({ index, of: parts, shared }));
}

export function theWhole(): Part {
  return openPart({ index: 0, of: 1, shared: new Int32Array(ROW) });
}

export function openPart({ index, of, shared }: PartPlace): Part {
  const rows = Array.from({ length: of }, (_, part) => part * ROW);
  const mine = index * ROW;
  return {
    index,
    of,
    found: (window, hits) => {
      if (window < MOST_WINDOWS) Atomics.store(shared, mine + 1 + window, hits);
    },
    hitsBefore: (window) => {
      let sum = 0;
      for (const row of rows) {
        const end = row + 1 + Math.min(window, MOST_WINDOWS);
        for (let at = row + 1; at < end; at++) sum += Atomics.load(shared, at);
      }
      return sum;
    },
    finish: (isOver) => {
      Atomics.store(shared, mine, 1);
      Atomics.notify(shared, mine);
      for (const row of rows) {
        while (Atomics.load(shared, row) === 0) {
          if (isOver()) return true;
          Atomics.wait(shared, row, 0, LOOK_AGAIN_MS);
        }
      }
      return false;
    },
  };
}
