import { onTestFinished, vi } from 'vitest';

/** The turns of the event loop since a start. */
export interface LoopTurns {
  readonly count: number;
  stop(): void;
}

/** Counts the turns of the event loop, so that a test sees whether other work went on, until it is stopped. */
export function countLoopTurns(): LoopTurns {
  let count = 0;
  let isStopped = false;
  const next = (): void => {
    count += 1;
    if (!isStopped) setImmediate(next);
  };
  setImmediate(next);
  return {
    get count() {
      return count;
    },
    stop: () => {
      isStopped = true;
    },
  };
}

/**
 * Lets a millisecond pass with each look at the clock, until the test ends. Work that pauses after some time then does
 * so on a fast machine, too.
 */
export function stepClock(): void {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now++);
  onTestFinished(() => clock.mockRestore());
}
