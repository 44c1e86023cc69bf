/** Runs a piece of work when its turn comes. @throws the signal's reason when that is aborted while it waits. */
export type TakeTurn = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Lets at most so many pieces of work run at once; the others wait, first come, first served. */
export function openTurns(most: number): TakeTurn {
  let free = most;
  const waiting = new Set<() => void>();
  const pass = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  return async (work, signal) => {
    signal.throwIfAborted();
    if (free > 0) free -= 1;
    else await turnIn(waiting, signal);
    try {
      return await work();
    } finally {
      pass();
    }
  };
}

/** Runs a piece of work of an owner when its turn comes. @throws as `TakeTurn` */
export type TakeOwnTurn = <T>(owner: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * As `openTurns`, with at most `mostOfOwner` of one owner at once, of those who wait as well: another's first piece of
 * work waits for a few of each owner, however many one asks for.
 */
export function openOwnersTurns(most: number, mostOfOwner: number): TakeOwnTurn {
  const take = openTurns(most);
  const owners = new Map<string, { readonly take: TakeTurn; asking: number }>();
  return async (owner, work, signal) => {
    const own = owners.get(owner) ?? { take: openTurns(mostOfOwner), asking: 0 };
    owners.set(owner, own);
    own.asking += 1;
    try {
      return await own.take(() => take(work, signal), signal);
    } finally {
      own.asking -= 1;
      if (own.asking === 0) owners.delete(owner);
    }
  };
}

async function turnIn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = (): void => {
    // One whose turn has come already keeps it, and passes it on.
    if (waiting.delete(resolve)) reject(signal.reason);
  };
  waiting.add(resolve);
  signal.addEventListener('abort', leave, { once: true });
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
