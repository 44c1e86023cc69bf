/** Runs a task when a slot is free. @throws the signal's reason if it is aborted while waiting. */
export type Semaphore = <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** Creates a semaphore that runs at most `max` tasks at once. Waiting tasks start in order of arrival. */
export function openSemaphore(max: number): Semaphore {
  let free = max;
  const waiting = new Set<() => void>();
  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  return async (task, signal) => {
    signal.throwIfAborted();
    if (free > 0) free -= 1;
    else await waitForSlot(waiting, signal);
    try {
      return await task();
    } finally {
      release();
    }
  };
}

/** Runs a task of an owner when a slot is free. @throws as `Semaphore` */
export type KeyedSemaphore = <T>(owner: string, task: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * The number of tasks of one owner that may run or wait, and the error of one more. An aborted task does not count,
 * even while it still runs, but keeps its slot until it ends.
 */
export interface OwnerQueue {
  readonly maxPending: number;
  readonly refusal: () => Error;
}

/**
 * Like `openSemaphore`, but with at most `maxOfOwner` tasks of one owner running or queued for a slot. The first task
 * of another owner therefore waits for a few tasks of each owner, regardless of how many tasks one owner submits.
 * Without `queue`, any number of tasks may wait; with it, the refusal of one more is thrown before a promise is
 * returned.
 */
export function openKeyedSemaphore(max: number, maxOfOwner: number, queue?: OwnerQueue): KeyedSemaphore {
  const take = openSemaphore(max);
  const owners = new Map<string, { readonly take: Semaphore; pending: number; unended: number }>();
  return (owner, task, signal) => {
    const own = owners.get(owner) ?? { take: openSemaphore(maxOfOwner), pending: 0, unended: 0 };
    if (queue !== undefined && own.pending >= queue.maxPending) throw queue.refusal();
    owners.set(owner, own);
    own.pending += 1;
    own.unended += 1;
    let isPending = true;
    const settle = (): void => {
      if (isPending) own.pending -= 1;
      isPending = false;
    };
    signal.addEventListener('abort', settle, { once: true });
    return own
      .take(() => take(task, signal), signal)
      .finally(() => {
        signal.removeEventListener('abort', settle);
        settle();
        own.unended -= 1;
        if (own.unended === 0) owners.delete(owner);
      });
  };
}

async function waitForSlot(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = (): void => {
    // A task that already has a slot keeps it and releases it later.
    if (waiting.delete(resolve)) reject(signal.reason);
  };
  waiting.add(resolve);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
