import { openSemaphore } from '../../../foundation/kernel/limits/semaphore.ts';
import type { SenderNetwork } from '../../../foundation/kernel/limits/sender-network.ts';
import { overloaded } from './webhook-refused.ts';

export interface IntakeLimits {
  /** Maximum number of webhooks in flight. */
  readonly inFlight: number;
  /** Time after which a waiting sender receives `overloaded`, in milliseconds. */
  readonly waitMs: number;
}

/** The provider counts a delivery as failed if it receives no response within 5 s. */
export const defaultLimits: IntakeLimits = { inFlight: 2_000, waitMs: 5_000 };

/** Limits the number of webhooks in flight. */
export function openGate({ inFlight: max, waitMs }: IntakeLimits) {
  const idle = Promise.withResolvers<void>();
  let inFlight = 0;
  let closing = false;

  /** @throws Unavailable `overloaded` */
  function assertOpen(): void {
    if (closing) throw overloaded('The service is stopping');
    if (inFlight >= max) throw overloaded('Too many webhooks are waiting');
  }
  const ended = (): void => {
    inFlight -= 1;
    if (closing && inFlight === 0) idle.resolve();
  };

  return {
    assertOpen,

    /**
     * Runs `work`, which must not throw synchronously, and returns its result. Rejects with `overloaded` after the
     * maximum wait; the work then continues and still counts.
     * @throws Unavailable `overloaded`, and what `work` throws
     */
    async run<T>(work: () => Promise<T>): Promise<T> {
      assertOpen();
      inFlight += 1;
      // Once started, nothing here references `work`, so the body that it received can be garbage-collected.
      return withTimeout(work().finally(ended), waitMs);
    },

    /** Refuses further work and resolves when all work has ended, at the latest after `graceMs`. */
    async close(graceMs: number): Promise<void> {
      closing = true;
      if (inFlight === 0) return;
      const timer = setTimeout(idle.resolve, graceMs);
      await idle.promise;
      clearTimeout(timer);
    },
  };
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const timedOut = Promise.withResolvers<never>();
  const timer = setTimeout(() => timedOut.reject(overloaded('It took too long to store this webhook')), ms);
  try {
    return await Promise.race([work, timedOut.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Maximum number of webhooks that wait until every secret is tried for them. */
const maxWaiting = 50;
/** Maximum number of those from one network; a larger network may use its multiple. */
const maxOfNetwork = 10;

/**
 * Runs the verification of webhooks that name no secret, one at a time. Anybody can send them, so one network can take
 * only a part of the places. @throws Unavailable `overloaded`
 */
export type UnnamedQueue = <T>(sender: readonly SenderNetwork[], verify: () => Promise<T>) => Promise<T>;

export function openUnnamedQueue(): UnnamedQueue {
  const oneAtATime = openSemaphore(1);
  const waitingOf = new Map<string, number>();
  let waiting = 0;

  const count = (sender: readonly SenderNetwork[], added: 1 | -1): void => {
    waiting += added;
    for (const { name } of sender) {
      const sum = (waitingOf.get(name) ?? 0) + added;
      if (sum === 0) waitingOf.delete(name);
      else waitingOf.set(name, sum);
    }
  };

  return async (sender, verify) => {
    const isFull = sender.some(({ name, share }) => (waitingOf.get(name) ?? 0) >= maxOfNetwork * share);
    if (isFull || waiting >= maxWaiting) {
      throw overloaded('Too many webhooks that name no subscription are waiting');
    }
    count(sender, 1);
    try {
      return await oneAtATime(verify, never);
    } finally {
      count(sender, -1);
    }
  };
}

/** A signal that never aborts: the gate limits the time until the sender receives an answer. */
const never = new AbortController().signal;
