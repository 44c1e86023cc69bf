import { openSemaphore } from '../../../foundation/kernel/limits/semaphore.ts';
import type { SenderNetwork } from '../../../foundation/kernel/limits/sender-network.ts';
import { overloaded } from './webhook-refused.ts';

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
