import PQueue from 'p-queue';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { senderNetworks } from '../../../foundation/kernel/limits/sender-network.ts';
import { checkNewPassword } from './password.ts';
import { type PasswordHashes, PasswordWorker } from './password-worker.ts';

/**
 * Hashes passwords one at a time, in a thread with low priority. A hash keeps a core busy for tens of milliseconds, and
 * a flood of sign-ins must not slow down other requests.
 */
export interface PasswordHashing {
  /** Hashes a new password. @throws InvalidInput for an invalid password; Unavailable if the queue is full */
  hash(password: string): Promise<string>;
  /**
   * Returns whether the password matches `encoded`; false if `encoded` is undefined. Takes the same time in both cases.
   * @param address of the unauthenticated caller
   * @throws Unavailable if the queue is full, or the share of the address's networks is used up
   */
  verify(password: string, encoded: string | undefined, address: string): Promise<boolean>;
}

/** Maximum number of queued tasks. At about 60 ms per hash, the last one waits for 4 s. */
const maxQueued = 64;

/** Maximum number of pending tasks per sender, so that none fills the queue alone. An IPv6 /48 counts as one sender. */
const maxPerSender = 8;

/**
 * A hash that matches no password, with the same cost as all others, so that verification for an unknown e-mail takes
 * as long as for a wrong password.
 */
const decoy =
  '$argon2id$v=19$m=19456,t=2,p=1$b3JnY3R4IGRlY295IHNhbHQ$VGhpcyBpcyBub2JvZHkncyBwYXNzd29yZCBhdCBhbGw';

export function openPasswordHashing(hashes: PasswordHashes = new PasswordWorker()): PasswordHashing {
  const queue = new PQueue({ concurrency: 1 });
  /** Number of pending tasks by sender. */
  const pending = new Map<string, number>();
  const enqueue = async <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.size >= maxQueued) throw tooMany();
    return queue.add(work);
  };
  const enqueueFor = async <T>(sender: string, work: () => Promise<T>): Promise<T> => {
    const count = pending.get(sender) ?? 0;
    if (count >= maxPerSender) throw tooMany();
    pending.set(sender, count + 1);
    try {
      return await enqueue(work);
    } finally {
      const remaining = (pending.get(sender) ?? 1) - 1;
      if (remaining === 0) pending.delete(sender);
      else pending.set(sender, remaining);
    }
  };
  return {
    hash: async (password) => {
      checkNewPassword(password);
      return enqueue(() => hashes.hash(password));
    },
    verify: async (password, encoded, address) => {
      const work = () => hashes.verify(password, encoded ?? decoy);
      const matches = await enqueueFor(largestNetwork(address), work);
      return matches && encoded !== undefined;
    },
  };
}

function largestNetwork(address: string): string {
  return senderNetworks(address).at(-1)?.name ?? address;
}

function tooMany(): Unavailable {
  return new Unavailable('overloaded', 'Too many people are signing in right now: try again in a moment.', {
    retryAfter: 5,
  });
}
