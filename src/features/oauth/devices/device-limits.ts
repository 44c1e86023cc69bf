import { errors } from 'oidc-provider';
import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { RateLimited } from '../../../foundation/kernel/errors.ts';
import { senderNetwork } from '../../../foundation/kernel/sender-network.ts';
import { countAttempt } from '../../identity/count-attempts.ts';
import type { OAuthCaller } from '../authorization-server.ts';

interface LimitDeps {
  readonly queries: Queries;
  readonly clock: Clock;
}

const windowMs = 15 * 60_000;

/**
 * Counts a code that somebody typed (RFC 8628 section 5.1). A code is one of 2.5 * 10^10 and lives for a quarter of an
 * hour: with a hundred of them open, all guesses together that the last limit lets through find one of them in less
 * than one of a hundred thousand quarters of an hour.
 * @throws RateLimited
 */
export async function countDeviceCode(
  { queries, clock }: LimitDeps,
  browser: string,
  { address }: OAuthCaller,
): Promise<void> {
  const now = clock();
  const network = { kind: 'device-code-network', subject: senderNetwork(address ?? ''), limit: 30, windowMs };
  await countAttempt(queries, network, now);
  await countAttempt(queries, { kind: 'device-code-browser', subject: browser, limit: 10, windowMs }, now);
  await countAttempt(queries, { kind: 'device-code', subject: 'all', limit: 2_000, windowMs }, now);
}

/**
 * Counts a device that asks whether anybody has decided (section 3.5): every five seconds, with some haste forgiven.
 * @throws errors.SlowDown
 */
export async function countDevicePoll({ queries, clock }: LimitDeps, device: string): Promise<void> {
  const often = { kind: 'device-poll', subject: device, limit: 8, windowMs: 30_000 };
  try {
    await countAttempt(queries, often, clock());
  } catch (error) {
    throw error instanceof RateLimited ? new errors.SlowDown() : error;
  }
}
