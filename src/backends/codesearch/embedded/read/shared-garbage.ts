import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Minimum number of dropped bytes for a collection. A collection takes a search thread some ten milliseconds. */
const minDroppedBytes = 16 * 1024 * 1024;
/**
 * Minimum delay before a collection, in milliseconds. A thread that drops one table drops more, and one collection
 * covers them all.
 */
const delayMs = 1000;
/**
 * Pause after a collection, as a multiple of its duration. Collections take at most a twentieth of the time of a
 * thread.
 */
const restFactor = 20;

/**
 * Returns a function that counts the bytes of shared memory that a thread drops, and schedules garbage collections.
 * V8 attributes shared memory to no thread: dropped memory would stay until the thread has other garbage, which in an
 * idle thread may never happen. A collection runs a second or two later, at a different time in each thread, and
 * covers all that was dropped until then.
 */
export function sharedGarbage(): (bytes: number) => void {
  let collect: (() => void) | undefined;
  let dropped = 0;
  let isScheduled = false;
  let restMs = 0;
  const run = (): void => {
    dropped = 0;
    isScheduled = false;
    const started = performance.now();
    collect ??= collector();
    collect();
    restMs = restFactor * (performance.now() - started);
  };
  return (bytes) => {
    dropped += bytes;
    if (dropped < minDroppedBytes || isScheduled) return;
    isScheduled = true;
    setTimeout(run, delayMs * (1 + Math.random()) + restMs).unref();
  };
}

/**
 * Returns the collector of V8, which new contexts contain while this flag is set. Relying on memory pressure instead
 * failed in idle threads. Flags apply to the whole process. This one stays set, because clearing it could break
 * another thread that is in this function. Without a collector, memory is only released later.
 */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as (() => void) | undefined;
  return () => collect?.();
}
