import PQueue from 'p-queue';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { senderNetworks } from '../../../foundation/kernel/sender-network.ts';
import { checkNewPassword } from './password.ts';
import { type PasswordHashes, PasswordWorker } from './password-worker.ts';

/**
 * Hashes passwords one at a time, in a thread that gives way to everything else: a hash keeps a core busy for tens of
 * milliseconds, and a flood of sign-ins is not to be felt by other requests.
 */
export interface PasswordHashing {
  /** @throws InvalidInput for a password that may not be one; Unavailable when too many wait */
  hash(password: string): Promise<string>;
  /**
   * Whether it is the password behind `encoded`; without one, no password is. Takes the same time either way.
   * @param address of who asks, which no credential stands behind
   * @throws Unavailable when too many wait, of all or of the networks of that address
   */
  verify(password: string, encoded: string | undefined, address: string): Promise<boolean>;
}

/** Waiting for a hash; at some 60 ms each the last of them waits for 4 s. */
const mostWaiting = 64;

/** Of these under way for one sender, who may have all of a /48 of IPv6: nobody fills the queue alone. */
const mostOfSender = 8;

/**
 * Hashed to nobody's password, at the cost of all others, so that an unknown e-mail takes as long as a wrong password
 * does.
 */
const decoy =
  '$argon2id$v=19$m=19456,t=2,p=1$b3JnY3R4IGRlY295IHNhbHQ$VGhpcyBpcyBub2JvZHkncyBwYXNzd29yZCBhdCBhbGw';

export function openPasswordHashing(hashes: PasswordHashes = new PasswordWorker()): PasswordHashing {
  const turns = new PQueue({ concurrency: 1 });
  /** Under way, by sender. */
  const senders = new Map<string, number>();
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (turns.size >= mostWaiting) throw tooMany();
    return turns.add(work);
  };
  const inTurnOf = async <T>(sender: string, work: () => Promise<T>): Promise<T> => {
    const others = senders.get(sender) ?? 0;
    if (others >= mostOfSender) throw tooMany();
    senders.set(sender, others + 1);
    try {
      return await inTurn(work);
    } finally {
      const left = (senders.get(sender) ?? 1) - 1;
      if (left === 0) senders.delete(sender);
      else senders.set(sender, left);
    }
  };
  return {
    hash: async (password) => {
      checkNewPassword(password);
      return inTurn(() => hashes.hash(password));
    },
    verify: async (password, encoded, address) => {
      const work = () => hashes.verify(password, encoded ?? decoy);
      const fits = await inTurnOf(largestNetwork(address), work);
      return fits && encoded !== undefined;
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
