import type { Database } from '../../../foundation/db/database.ts';
import { countAttempts } from '../../identity/sign-in/count-attempts.ts';
import { networkLimits } from '../../identity/sign-in/network-limits.ts';

const windowMs = 10 * 60_000;

/**
 * Anybody may register a client, and each is a row that stays for a day: so many in ten minutes from one sender (with
 * more for the networks around it), and from all together, which a dozen of the largest networks cannot use up for the
 * others. Editors register again whenever their user connects.
 */
const limits = { sender: 100, everybody: 5_000 } as const;

/**
 * Counts one registration before it is stored, in all processes together; what one sender is not allowed any more takes
 * nothing from the others.
 * @param address of the caller; several whose address is unknown count as one
 * @throws RateLimited
 */
export async function countRegistration(
  database: Pick<Database, 'queries' | 'transaction'>,
  address: string | undefined,
  now: number,
): Promise<void> {
  const sender = { kind: 'register-network', limit: limits.sender, windowMs };
  const everybody = { kind: 'register', subject: '', limit: limits.everybody, windowMs };
  await countAttempts(database, [...networkLimits(sender, address ?? 'unknown'), everybody], now);
}
