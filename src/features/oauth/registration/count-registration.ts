import type { Queries } from '../../../foundation/db/database.ts';
import { senderNetwork } from '../../../foundation/kernel/sender-network.ts';
import { type AttemptLimit, countAttempt } from '../../identity/count-attempts.ts';

const windowMs = 10 * 60_000;

/**
 * Anybody may register a client, and each is a row that stays for a day: so many in ten minutes from one network (an
 * address; of IPv6 a /64), and from all together. Editors register again whenever their user connects.
 */
const limits = { network: 20, everybody: 200 } as const;

/**
 * Counts one registration before it is stored, in all processes together.
 * @param address of the caller; several whose address is unknown count as one
 * @throws RateLimited
 */
export async function countRegistration(
  queries: Queries,
  address: string | undefined,
  now: number,
): Promise<void> {
  const network = senderNetwork(address ?? 'unknown');
  const counted: readonly AttemptLimit[] = [
    { kind: 'register-network', subject: network, limit: limits.network, windowMs },
    { kind: 'register', subject: '', limit: limits.everybody, windowMs },
  ];
  // In this order: what a network is not allowed any more takes nothing from the others.
  for (const limit of counted) await countAttempt(queries, limit, now);
}
