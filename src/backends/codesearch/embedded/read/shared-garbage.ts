import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Dropped bytes that are worth a collection; one takes a search thread some ten milliseconds. */
const ENOUGH = 16 * 1024 * 1024;

/**
 * V8 counts shared memory to no thread: what a thread drops of it would stay until that thread has garbage of another
 * kind, which for one that lies idle may be never. Whoever drops shared memory says here how much; not while somebody
 * waits for an answer.
 */
export function sharedGarbage(): (bytes: number) => void {
  let collect: (() => void) | undefined;
  let dropped = 0;
  return (bytes) => {
    dropped += bytes;
    if (dropped < ENOUGH) return;
    dropped = 0;
    collect ??= collector();
    // Not at once: what was dropped may still be named by whoever says so.
    setImmediate(collect);
  };
}

/** V8 gives its collector to new contexts while this is set; to count on pressure instead was seen to fail in idle threads. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return () => collect();
}
