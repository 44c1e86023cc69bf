import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Dropped bytes that are worth a collection; one takes a search thread some ten milliseconds. */
const ENOUGH = 16 * 1024 * 1024;
/** Whoever drops one table drops more; what they take together is one collection. */
const WAIT_MS = 1000;
/** A collection is followed by so many times the time it took: a twentieth of a thread's time goes into them at most. */
const REST = 20;

/**
 * V8 counts shared memory to no thread: what a thread drops of it would stay until that thread has garbage of another
 * kind, which for one that lies idle may be never. Whoever drops shared memory says here how much. The collection comes
 * a second or two later, each thread's at a time of its own, and stands for all that was dropped by then.
 */
export function sharedGarbage(): (bytes: number) => void {
  let collect: (() => void) | undefined;
  let dropped = 0;
  let isDue = false;
  let restMs = 0;
  const run = (): void => {
    dropped = 0;
    isDue = false;
    const started = performance.now();
    collect ??= collector();
    collect();
    restMs = REST * (performance.now() - started);
  };
  return (bytes) => {
    dropped += bytes;
    if (dropped < ENOUGH || isDue) return;
    isDue = true;
    setTimeout(run, WAIT_MS * (1 + Math.random()) + restMs).unref();
  };
}

/**
 * V8 gives its collector to new contexts while this flag is set; to count on pressure instead was seen to fail in idle
 * threads. Flags are of the process: it stays set, since to clear it would take it from another thread that is just
 * here. Without a collector memory stays longer, no more.
 */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as (() => void) | undefined;
  return () => collect?.();
}
