import type { Unavailable } from '../../../foundation/kernel/errors.ts';
import { overloaded } from './webhook-refused.ts';

export interface IntakeLimits {
  /** Webhooks under way at once. */
  readonly underWay: number;
  /** Milliseconds until whoever waits is told to come back. */
  readonly waitMs: number;
}

/** The provider wants its answer within 5 s or counts it as failed. */
export const usualLimits: IntakeLimits = { underWay: 2_000, waitMs: 5_000 };

/** Lets work in while there is room. */
export interface IntakeGate {
  /** @throws Unavailable `overloaded` */
  assertOpen(): void;
  /**
   * Answers what `work`, which never throws at once, does; after the longest wait `overloaded`, while the work goes on and still counts.
   * @throws Unavailable `overloaded`, and what `work` throws
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Lets nothing more in and resolves when all work has ended, at the latest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export function openGate({ underWay: most, waitMs }: IntakeLimits): IntakeGate {
  const idle = Promise.withResolvers<void>();
  let underWay = 0;
  let closing = false;

  const refusal = (): Unavailable | undefined => {
    if (closing) return overloaded('The service is stopping');
    return underWay >= most ? overloaded('Too many webhooks are waiting') : undefined;
  };
  const ended = (): void => {
    underWay -= 1;
    if (closing && underWay === 0) idle.resolve();
  };

  return {
    assertOpen: () => {
      const full = refusal();
      if (full !== undefined) throw full;
    },
    run: (work) => {
      const full = refusal();
      if (full !== undefined) return Promise.reject(full);
      underWay += 1;
      // Nothing here holds on to `work`, and so to what it was given, once it has begun.
      return withinTime(work().finally(ended), waitMs);
    },
    close: async (graceMs) => {
      closing = true;
      if (underWay === 0) return;
      const timer = setTimeout(idle.resolve, graceMs);
      await idle.promise;
      clearTimeout(timer);
    },
  };
}

async function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(overloaded('It took too long to store this webhook')), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
