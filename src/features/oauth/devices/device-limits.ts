import { errors } from 'oidc-provider';
import type { Database, Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { RateLimited } from '../../../foundation/kernel/errors.ts';
import { countAttempt, countAttempts } from '../../identity/sign-in/count-attempts.ts';
import { networkLimits } from '../../identity/sign-in/network-limits.ts';
import type { OAuthCaller } from '../authorization-server.ts';

const windowMs = 15 * 60_000;

/**
 * Counts a user code that was entered (RFC 8628 section 5.1). A code is one of 2.5 * 10^10 and lives for 15 minutes.
 * With a hundred codes pending, all guesses that the last limit allows together hit one of them in less than one in a
 * hundred thousand periods of 15 minutes.
 * @throws RateLimited
 */
export async function countDeviceCode(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  browser: string,
  { address }: OAuthCaller,
): Promise<void> {
  const sender = { kind: 'device-code-network', limit: 30, windowMs };
  const limits = [
    ...networkLimits(sender, address ?? ''),
    { kind: 'device-code-browser', subject: browser, limit: 10, windowMs },
    { kind: 'device-code', subject: 'all', limit: 2_000, windowMs },
  ];
  await countAttempts(database, limits, clock());
}

/**
 * Counts a device's poll for the decision (RFC 8628 section 3.5). The expected interval is five seconds; the limit
 * leaves a margin for slightly faster polls.
 * @throws errors.SlowDown
 */
export async function countDevicePoll(
  { queries, clock }: { readonly queries: Queries; readonly clock: Clock },
  device: string,
): Promise<void> {
  const pollLimit = { kind: 'device-poll', subject: device, limit: 8, windowMs: 30_000 };
  try {
    await countAttempt(queries, pollLimit, clock());
  } catch (error) {
    throw error instanceof RateLimited ? new errors.SlowDown() : error;
  }
}
