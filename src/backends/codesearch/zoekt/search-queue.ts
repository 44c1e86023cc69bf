import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { fairQueue } from '../fair-queue.ts';
import { closed, overloaded } from '../queue-errors.ts';

/** Searches that Zoekt is asked at once: of one organization with a pattern, of one at all, and of everybody. */
const AT_ONCE = { patterns: 1, each: 2, all: 8 };
/** Searches that wait, of one organization (those with a pattern by themselves) and of everybody. */
const MOST_WAITING = { each: 64, all: 256 };
/**
 * Zoekt looks at the clock between files. A pattern that it did not come back from in time may go on for many seconds,
 * and has as many processors for itself as such searches are.
 */
const HELD_BACK_MS = 10_000;

export interface QueuedSearch {
  readonly organizationId: string;
  /** Patterns alone can keep Zoekt at one file. */
  readonly hasPattern: boolean;
  /** Milliseconds, waiting included. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Lets the searches of organizations at Zoekt in turn: who has many makes only the own ones wait. */
export interface SearchQueue {
  /**
   * Runs `work` when its turn has come, with the milliseconds that are left.
   * @throws the signal's reason; what `work` throws; Unavailable `overloaded` when too many wait, when it was not its
   * turn before the deadline, or when Zoekt may still be at another pattern of the organization.
   */
  run<T>(search: QueuedSearch, work: Work<T>): Promise<T>;
  close(): void;
}

type Work<T> = (leftMs: number, signal: AbortSignal) => Promise<T>;

interface Waiting {
  readonly search: QueuedSearch;
  readonly turn: PromiseWithResolvers<void>;
}

/** `isLate` tells a failure after which Zoekt may still be at work. */
export function openSearchQueue(
  isLate: (error: unknown) => boolean,
  heldBackMs: number = HELD_BACK_MS,
): SearchQueue {
  const queue = fairQueue<Waiting>(MOST_WAITING);
  const running = openPlaces();
  const heldBack = openHolds(heldBackMs);
  let isClosed = false;
  const dispatch = (): void => {
    for (let next = queue.take(running.hasRoom); next !== undefined; next = queue.take(running.hasRoom)) {
      const leftMs = heldBack.leftMs(next.search);
      if (leftMs > 0) next.turn.reject(stillBusy(leftMs));
      else {
        running.add(next.search);
        next.turn.resolve();
      }
    }
  };
  /** Who asked may leave at once; the place of a pattern stays taken until Zoekt has come back from it. */
  const runNow = async <T>(search: QueuedSearch, leftMs: number, work: Work<T>): Promise<T> => {
    try {
      return await work(leftMs, search.hasPattern ? new AbortController().signal : search.signal);
    } catch (error) {
      if (search.hasPattern && isLate(error)) heldBack.begin(search.organizationId);
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
      const heldMs = heldBack.leftMs(search);
      if (heldMs > 0) throw stillBusy(heldMs);
      const started = performance.now();
      const waiting: Waiting = { search, turn: Promise.withResolvers() };
      if (!queue.add(laneOf(search), waiting)) throw overloaded();
      dispatch();
      await turnOf(waiting, () => queue.remove(laneOf(search), waiting));
      const leftMs = Math.max(1, search.deadlineMs - (performance.now() - started));
      return unlessGone(runNow(search, leftMs, work), search.signal);
    },
    close: () => {
      isClosed = true;
      for (const { turn } of queue.drain()) turn.reject(closed());
    },
  };
}

/** What waits behind each other: a pattern of an organization does not stand before its searches for words. */
function laneOf({ organizationId, hasPattern }: QueuedSearch): string {
  return `${hasPattern ? 'patterns' : 'words'} ${organizationId}`;
}

/** How many searches run, by lane. */
function openPlaces() {
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
      if (all >= AT_ONCE.all || patterns + running(organizationId, false) >= AT_ONCE.each) return false;
      return !lane.startsWith('patterns ') || patterns < AT_ONCE.patterns;
    },
  };
}

/** Until when the patterns of organizations are held back. */
function openHolds(heldBackMs: number) {
  const until = new Map<string, number>();
  return {
    begin: (organizationId: string): void => {
      const now = performance.now();
      for (const [id, end] of until) if (end <= now) until.delete(id);
      until.set(organizationId, now + heldBackMs);
    },
    leftMs: ({ organizationId, hasPattern }: QueuedSearch): number =>
      hasPattern ? Math.max(0, (until.get(organizationId) ?? 0) - performance.now()) : 0,
  };
}

/** @throws the signal's reason, and Unavailable at the deadline; neither once the turn has come */
async function turnOf({ search, turn }: Waiting, leave: () => boolean): Promise<void> {
  const give = (error: unknown): void => {
    if (leave()) turn.reject(error);
  };
  const gone = (): void => give(search.signal.reason);
  const timer = setTimeout(() => give(overloaded()), search.deadlineMs);
  search.signal.addEventListener('abort', gone, { once: true });
  try {
    await turn.promise;
  } finally {
    clearTimeout(timer);
    search.signal.removeEventListener('abort', gone);
  }
}

/** The outcome, or the signal's reason as soon as that is aborted. */
async function unlessGone<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const gone = (): void => reject(signal.reason);
  signal.addEventListener('abort', gone, { once: true });
  if (signal.aborted) gone();
  try {
    return await Promise.race([outcome, promise]);
  } finally {
    signal.removeEventListener('abort', gone);
  }
}

function stillBusy(leftMs: number): Unavailable {
  const seconds = Math.ceil(leftMs / 1000);
  const message = `Zoekt may still be at a pattern that took too long; try a simpler one in ${seconds} s, or search for words.`;
  return new Unavailable('overloaded', message, { retryAfter: seconds });
}
