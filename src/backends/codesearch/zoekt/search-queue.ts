import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { fairQueue } from '../fair-queue.ts';
import type { OnStart } from '../port.ts';
import { closed, overloaded } from '../queue-errors.ts';

/** Maximum numbers of concurrent searches: of one organization with a pattern, of one organization, and overall. */
const maxRunning = { patterns: 1, each: 2, all: 8 };
/** Maximum numbers of waiting searches: of one organization (separately for those with a pattern), and overall. */
const maxWaiting = { each: 64, all: 256 };
/**
 * Duration for which patterns of an organization are refused after one timed out, in milliseconds. Zoekt checks its
 * deadline only between files, so such a pattern may run for many more seconds, and each uses a processor.
 */
const defaultHoldBackMs = 10_000;

export interface QueuedSearch {
  readonly organizationId: string;
  /** Only patterns can occupy Zoekt with a single file. */
  readonly hasPattern: boolean;
  /** Maximum wait, in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly onStart?: OnStart | undefined;
}

/** Schedules searches fairly, so that an organization with many searches delays only its own. */
export interface SearchQueue {
  /**
   * Runs `work` when it is scheduled.
   * @throws the signal's reason; any error of `work`; Unavailable `overloaded` if too many searches wait, if the
   * search waited too long, or if Zoekt may still run another pattern of the organization.
   */
  run<T>(search: QueuedSearch, work: Work<T>): Promise<T>;
  close(): void;
}

type Work<T> = (signal: AbortSignal) => Promise<T>;

interface Waiting {
  readonly search: QueuedSearch;
  readonly scheduled: PromiseWithResolvers<void>;
}

/** Opens a queue. `isTimeout` returns whether Zoekt may still be running after an error. */
export function openSearchQueue(
  isTimeout: (error: unknown) => boolean,
  holdBackMs: number = defaultHoldBackMs,
): SearchQueue {
  const queue = fairQueue<Waiting>(maxWaiting);
  const running = openSlots();
  const holdBacks = openHoldBacks(holdBackMs);
  let isClosed = false;
  const dispatch = (): void => {
    for (let next = queue.take(running.hasRoom); next !== undefined; next = queue.take(running.hasRoom)) {
      const leftMs = holdBacks.leftMs(next.search);
      if (leftMs > 0) next.scheduled.reject(stillBusy(leftMs));
      else {
        running.add(next.search);
        next.scheduled.resolve();
      }
    }
  };
  /** The caller can abort at once, but a pattern keeps its slot until Zoekt returns. */
  const runNow = async <T>(search: QueuedSearch, work: Work<T>): Promise<T> => {
    try {
      return await work(search.hasPattern ? new AbortController().signal : search.signal);
    } catch (error) {
      if (search.hasPattern && isTimeout(error)) holdBacks.begin(search.organizationId);
      throw error;
    } finally {
      running.remove(search);
      dispatch();
    }
  };
  return {
    run: async (search, work) => {
      search.signal.throwIfAborted();
      if (isClosed) throw closed();
      const heldMs = holdBacks.leftMs(search);
      if (heldMs > 0) throw stillBusy(heldMs);
      const waiting: Waiting = { search, scheduled: Promise.withResolvers() };
      if (!queue.add(laneOf(search), waiting)) throw overloaded();
      dispatch();
      await waitUntilScheduled(waiting, () => queue.remove(laneOf(search), waiting));
      search.onStart?.();
      return unlessAborted(runNow(search, work), search.signal);
    },
    close: () => {
      isClosed = true;
      for (const { scheduled } of queue.drain()) scheduled.reject(closed());
    },
  };
}

/**
 * Returns the lane of a search. Patterns have their own lane, so they do not delay word searches of the same
 * organization.
 */
function laneOf({ organizationId, hasPattern }: QueuedSearch): string {
  return `${hasPattern ? 'patterns' : 'words'} ${organizationId}`;
}

/** Counts the running searches by lane. */
function openSlots() {
  const inLane = new Map<string, number>();
  let all = 0;
  const add = (search: QueuedSearch, by: 1 | -1): void => {
    all += by;
    const lane = laneOf(search);
    const now = (inLane.get(lane) ?? 0) + by;
    if (now === 0) inLane.delete(lane);
    else inLane.set(lane, now);
  };
  const running = (organizationId: string, hasPattern: boolean): number =>
    inLane.get(`${hasPattern ? 'patterns' : 'words'} ${organizationId}`) ?? 0;
  return {
    add: (search: QueuedSearch) => add(search, 1),
    remove: (search: QueuedSearch) => add(search, -1),
    hasRoom: (lane: string): boolean => {
      const organizationId = lane.slice(lane.indexOf(' ') + 1);
      const patterns = running(organizationId, true);
      if (all >= maxRunning.all || patterns + running(organizationId, false) >= maxRunning.each) return false;
      return !lane.startsWith('patterns ') || patterns < maxRunning.patterns;
    },
  };
}

/** Stores until when patterns of an organization are refused. */
function openHoldBacks(holdBackMs: number) {
  const until = new Map<string, number>();
  return {
    begin: (organizationId: string): void => {
      const now = performance.now();
      for (const [id, end] of until) if (end <= now) until.delete(id);
      until.set(organizationId, now + holdBackMs);
    },
    leftMs: ({ organizationId, hasPattern }: QueuedSearch): number =>
      hasPattern ? Math.max(0, (until.get(organizationId) ?? 0) - performance.now()) : 0,
  };
}

/**
 * Waits until a search is scheduled. @throws the signal's reason if aborted, Unavailable after `waitMs`; never after
 * it was scheduled
 */
async function waitUntilScheduled({ search, scheduled }: Waiting, leave: () => boolean): Promise<void> {
  const fail = (error: unknown): void => {
    if (leave()) scheduled.reject(error);
  };
  const abort = (): void => fail(search.signal.reason);
  const timer = setTimeout(() => fail(overloaded()), search.waitMs);
  search.signal.addEventListener('abort', abort, { once: true });
  try {
    await scheduled.promise;
  } finally {
    clearTimeout(timer);
    search.signal.removeEventListener('abort', abort);
  }
}

/** Returns the outcome, or rejects with the signal's reason as soon as it is aborted. */
async function unlessAborted<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([outcome, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function stillBusy(leftMs: number): Unavailable {
  const seconds = Math.ceil(leftMs / 1000);
  const message = `Zoekt may still be running a pattern that took too long. Retry in ${seconds} s with a simpler pattern, or search for words.`;
  return new Unavailable('overloaded', message, { retryAfter: seconds });
}
