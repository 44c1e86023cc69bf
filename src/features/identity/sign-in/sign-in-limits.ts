import type { Database, Queries } from '../../../foundation/db/database.ts';
import { senderNetwork } from '../../../foundation/kernel/limits/sender-network.ts';
import {
  type AttemptLimit,
  countAttempts,
  isMarked,
  markSubject,
  resetAttempts,
  uncountAttempt,
} from './count-attempts.ts';
import { networkLimits } from './network-limits.ts';

export interface SignInAttempt {
  /** Normalized e-mail. */
  readonly account: string;
  readonly address: string;
}

const windowMs = 15 * 60_000;

/** Time for which a network counts as known after a successful sign-in from it, in milliseconds. */
const knownNetworkMs = 90 * 24 * 3_600_000;

/**
 * Returns the limits of failed sign-ins in 15 minutes. An account has a low limit per network (an address; for IPv6 a
 * /64, with higher limits for the /56 and /48 around it, which may belong to one sender). It has a higher limit for all
 * networks together from which it never signed in. This slows down guessing from many networks. An attacker who fails
 * on purpose, from any number of networks, cannot lock users out of their known networks. A network that tries many
 * accounts has its own limit. A user in a new network whose account is under attack can still use sessions, keys and
 * one-time links.
 */
function limitsOf({ account, address }: SignInAttempt): SignInLimits {
  const [network, ...widerNetworks] = networkLimits(
    { kind: 'sign-in-network', limit: 50, windowMs },
    address,
  );
  const [accountInNetwork, ...widerAccountNetworks] = networkLimits(
    { kind: 'sign-in-account-network', limit: 10, windowMs },
    address,
  ).map((limit) => ({ ...limit, subject: `${account}\0${limit.subject}` }));
  if (network === undefined || accountInNetwork === undefined)
    throw new Error('an address lies in no network');
  const everywhere = { kind: 'sign-in-account', subject: account, limit: 200, windowMs };
  return {
    network,
    accountInNetwork,
    unknownNetworkLimits: [...widerNetworks, ...widerAccountNetworks, everywhere],
  };
}

interface SignInLimits {
  readonly network: AttemptLimit;
  /** Limit of the account in the network. */
  readonly accountInNetwork: AttemptLimit;
  /** Limits that other senders can exhaust. They apply only in networks from which the account never signed in. */
  readonly unknownNetworkLimits: readonly AttemptLimit[];
}

/** Returns the subject of the mark for a network from which the account has signed in. */
function knownNetwork({ account, address }: SignInAttempt) {
  return { kind: 'sign-in-known-network', subject: `${account}\0${senderNetwork(address)}` };
}

/** Counts a sign-in attempt. @throws RateLimited */
export async function countSignIn(database: Database, attempt: SignInAttempt, now: number): Promise<void> {
  const { network, accountInNetwork, unknownNetworkLimits } = limitsOf(attempt);
  const known = await isMarked(database.queries, knownNetwork(attempt), now);
  await countAttempts(
    database,
    known ? [network, accountInNetwork] : [network, accountInNetwork, ...unknownNetworkLimits],
    now,
  );
}

/**
 * Records a successful sign-in. Resets the failures of the account in this network and subtracts this attempt from the
 * other counts. Marks the network as known.
 */
export async function clearFailedSignIns(tx: Queries, attempt: SignInAttempt, now: number): Promise<void> {
  const { network, accountInNetwork, unknownNetworkLimits } = limitsOf(attempt);
  const known = knownNetwork(attempt);
  await uncountAttempt(tx, network);
  await resetAttempts(tx, accountInNetwork);
  // Attempts from a known network do not count towards these limits.
  if (!(await isMarked(tx, known, now))) {
    for (const limit of unknownNetworkLimits) await uncountAttempt(tx, limit);
  }
  await markSubject(tx, known, now + knownNetworkMs);
}
