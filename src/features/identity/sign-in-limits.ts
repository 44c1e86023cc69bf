import type { Queries } from '../../foundation/db/database.ts';
import { senderNetwork } from '../../foundation/kernel/sender-network.ts';
import { type AttemptLimit, countAttempt, forgetAttempts, uncountAttempt } from './count-attempts.ts';

export interface SignInAttempt {
  /** Normalized e-mail. */
  readonly account: string;
  readonly address: string;
}

const windowMs = 15 * 60_000;

/**
 * Failed sign-ins in a quarter of an hour. An account is limited tightly from one network (an address; of IPv6 a /64)
 * and loosely from all together: guessing from many places is slowed down, while a stranger who fails on purpose from
 * one place keeps nobody else out. A network that tries many accounts has a limit of its own. Whoever is kept out all
 * the same has their sessions, keys and one-time links.
 */
function limitsOf({ account, address }: SignInAttempt) {
  const network = senderNetwork(address);
  return {
    here: { kind: 'sign-in-account-network', subject: `${account}\0${network}`, limit: 10, windowMs },
    everywhere: { kind: 'sign-in-account', subject: account, limit: 200, windowMs },
    network: { kind: 'sign-in-network', subject: network, limit: 50, windowMs },
  } satisfies Record<string, AttemptLimit>;
}

/** @throws RateLimited */
export async function countSignIn(queries: Queries, attempt: SignInAttempt, now: number): Promise<void> {
  const { network, here, everywhere } = limitsOf(attempt);
  // In this order: what a network is not allowed any more counts against no account.
  for (const limit of [network, here, everywhere]) await countAttempt(queries, limit, now);
}

/** It was a good one: failures before it are forgiven to the account here, and to the others this one alone. */
export async function uncountSignIn(queries: Queries, attempt: SignInAttempt): Promise<void> {
  const { network, here, everywhere } = limitsOf(attempt);
  await forgetAttempts(queries, here);
  for (const limit of [network, everywhere]) await uncountAttempt(queries, limit);
}
