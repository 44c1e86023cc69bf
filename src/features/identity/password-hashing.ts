import PQueue from 'p-queue';
import { Unavailable } from '../../foundation/kernel/errors.ts';
import { hashPassword, verifyPassword } from './password.ts';

/**
 * Hashes passwords one at a time. A hash keeps a core busy for tens of milliseconds, off the event loop: several at
 * once would take the cores, and the threads that files are read with, from every other request.
 */
export interface PasswordHashing {
  /** @throws InvalidInput for a password that may not be one; Unavailable when too many wait */
  hash(password: string): Promise<string>;
  /** Whether it is the password behind `encoded`; without one, no password is. Takes the same time either way. */
  verify(password: string, encoded: string | undefined): Promise<boolean>;
}

/** Waiting for a hash; at some 60 ms each the last of them waits for 4 s. */
const mostWaiting = 64;

/**
 * Hashed to nobody's password, at the cost of all others, so that an unknown e-mail takes as long as a wrong password
 * does.
 */
const decoy =
  '$argon2id$v=19$m=19456,t=2,p=1$b3JnY3R4IGRlY295IHNhbHQ$VGhpcyBpcyBub2JvZHkncyBwYXNzd29yZCBhdCBhbGw';

export function openPasswordHashing(): PasswordHashing {
  const turns = new PQueue({ concurrency: 1 });
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (turns.size >= mostWaiting) {
      throw new Unavailable(
        'overloaded',
        'Too many people are signing in right now: try again in a moment.',
        {
          retryAfter: 5,
        },
      );
    }
    return turns.add(work);
  };
  return {
    hash: async (password) => inTurn(() => hashPassword(password)),
    verify: async (password, encoded) => {
      const fits = await inTurn(() => verifyPassword(password, encoded ?? decoy));
      return fits && encoded !== undefined;
    },
  };
}
