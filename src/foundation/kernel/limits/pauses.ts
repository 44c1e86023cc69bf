import { setImmediate as nextTick } from 'node:timers/promises';

/** Time for which work may keep the event loop busy, in milliseconds. */
const maxBusyMs = 10;

/** A function to await between the items of long work. */
export type Pause = () => Promise<void> | undefined;

/**
 * Returns a function to await between the items of long work. It lets other requests go on when the work has kept the
 * event loop busy for 10 ms since its last pause, and returns at once otherwise.
 */
export function openPauses(): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < maxBusyMs) return undefined;
    return nextTick().then(() => {
      since = performance.now();
    });
  };
}
