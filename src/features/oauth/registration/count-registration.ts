import type { Database } from '../../../foundation/db/database.ts';
import { countAttempts } from '../../identity/sign-in/count-attempts.ts';
import { networkLimits } from '../../identity/sign-in/network-limits.ts';

const windowMs = 10 * 60_000;

/**
 * Maximum numbers of registrations in ten minutes. Unauthenticated callers can register clients, and each is a row that
 * stays for a day. The networks around a sender have higher limits; a dozen of the largest networks cannot exhaust the
 * limit for all. Editors register again whenever their user connects.
 */
const limits = { sender: 100, everybody: 5_000 } as const;

/**
 * Counts a registration before it is stored, across all processes. A registration that exceeds the limit of its sender
 * does not count towards the limit for all.
 * @param address of the caller; all callers with an unknown address share one count
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
