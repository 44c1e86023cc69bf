import type { Database, Queries } from '../../../foundation/db/database.ts';
import { senderNetwork } from '../../../foundation/kernel/sender-network.ts';
import {
  type AttemptLimit,
  countAttempts,
  forgetAttempts,
  isMarked,
  markSubject,
  uncountAttempt,
} from './count-attempts.ts';
import { networkLimits } from './network-limits.ts';

export interface SignInAttempt {
  /** Normalized e-mail. */
  readonly account: string;
  readonly address: string;
}

const windowMs = 15 * 60_000;

/** How long a network where somebody has signed in stays known as theirs. */
const knownMs = 90 * 24 * 3_600_000;

/**
 * Failed sign-ins in a quarter of an hour. An account is limited tightly from one network (an address; of IPv6 a /64,
 * and more loosely the /56 and /48 around it, which may be one sender's) and loosely from all networks together where
 * it never signed in: guessing from many places is slowed down, while strangers who fail on purpose, from however many
 * places, keep nobody out of where they usually are. A network that tries many accounts has a limit of its own. Who is
 * somewhere new while their account is under attack has their sessions, keys and one-time links.
 */
function limitsOf({ account, address }: SignInAttempt): SignInLimits {
  const [network, ...networksAround] = networkLimits(
    { kind: 'sign-in-network', limit: 50, windowMs },
    address,
  );
  const [here, ...hereAround] = networkLimits(
    { kind: 'sign-in-account-network', limit: 10, windowMs },
    address,
  ).map((limit) => ({ ...limit, subject: `${account}\0${limit.subject}` }));
  if (network === undefined || here === undefined) throw new Error('an address lies in no network');
  const everywhere = { kind: 'sign-in-account', subject: account, limit: 200, windowMs };
  return { network, here, elsewhere: [...networksAround, ...hereAround, everywhere] };
}

interface SignInLimits {
  readonly network: AttemptLimit;
  /** Of the account in the network. */
  readonly here: AttemptLimit;
  /** Strangers around can use these up, so they hold only where the account never signed in. */
  readonly elsewhere: readonly AttemptLimit[];
}

/** A network, to an account that has signed in there. */
function knownNetwork({ account, address }: SignInAttempt) {
  return { kind: 'sign-in-known-network', subject: `${account}\0${senderNetwork(address)}` };
}

/** @throws RateLimited */
export async function countSignIn(database: Database, attempt: SignInAttempt, now: number): Promise<void> {
  const { network, here, elsewhere } = limitsOf(attempt);
  const known = await isMarked(database.queries, knownNetwork(attempt), now);
  await countAttempts(database, known ? [network, here] : [network, here, ...elsewhere], now);
}

/**
 * It was a good one: failures before it are forgiven to the account here, and to the others this one alone. The network
 * is known from now on.
 */
export async function forgiveSignIn(tx: Queries, attempt: SignInAttempt, now: number): Promise<void> {
  const { network, here, elsewhere } = limitsOf(attempt);
  const known = knownNetwork(attempt);
  await uncountAttempt(tx, network);
  await forgetAttempts(tx, here);
  // From a known network these were not counted.
  if (!(await isMarked(tx, known, now))) {
    for (const limit of elsewhere) await uncountAttempt(tx, limit);
  }
  await markSubject(tx, known, now + knownMs);
}
