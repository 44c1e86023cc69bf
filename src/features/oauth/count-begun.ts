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
 * Anybody may begin an authorization, in a browser or on a device, and each is a row of up to some 10 KB that stays for
 * half an hour at most: these keep all of them together below a gigabyte, and one sender far below that.
 */
const limits = { sender: 1_000, everybody: 20_000 } as const;

/**
 * Counts an authorization before it is begun. In the database like every limit of what is stored, so that more processes
 * hold no more rows; one that is refused writes nothing.
 * @throws RateLimited
 */
export async function countBegun({ database, clock }: LimitDeps, { address }: OAuthCaller): Promise<void> {
  const sender = { kind: 'begin-network', limit: limits.sender, windowMs };
  const everybody = { kind: 'begin', subject: '', limit: limits.everybody, windowMs };
  await countAttempts(database, [...networkLimits(sender, address ?? 'unknown'), everybody], clock());
}
