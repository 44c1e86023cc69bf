import type { Database } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { countAttempts } from '../identity/sign-in/count-attempts.ts';
import { networkLimits } from '../identity/sign-in/network-limits.ts';
import type { OAuthCaller } from './authorization-server.ts';

interface LimitDeps {
  readonly database: Pick<Database, 'queries' | 'transaction'>;
  readonly clock: Clock;
}

const windowMs = 10 * 60_000;

/**
 * Maximum numbers of authorizations that may be started per window. Unauthenticated callers can start them, in a
 * browser or on a device, and each is a row of up to about 10 KB that stays for at most half an hour. The limits keep
 * all rows together below 1 GB, and the rows of one sender far below that.
 */
const limits = { sender: 1_000, everybody: 20_000 } as const;

/**
 * Counts an authorization before it is started. The count is in the database, like that of every limit on stored rows,
 * so that the limit does not grow with the number of processes. A refused authorization writes nothing.
 * @throws RateLimited
 */
export async function countAuthorization(
  { database, clock }: LimitDeps,
  { address }: OAuthCaller,
): Promise<void> {
  const sender = { kind: 'begin-network', limit: limits.sender, windowMs };
  const everybody = { kind: 'begin', subject: '', limit: limits.everybody, windowMs };
  await countAttempts(database, [...networkLimits(sender, address ?? 'unknown'), everybody], clock());
}
