import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Sealer } from '../../../foundation/secrets/sealer.ts';
import { currentKey, deleteSigningKeysBefore, makeSigningKey, readSigningKeys } from './signing-keys.ts';

const hour = 3_600_000;

/** Time for which a key signs, in milliseconds. */
const signingPeriodMs = 90 * 24 * hour;

/**
 * Time for which a key is published before it signs, in milliseconds, so that every cache and process has loaded it.
 */
const publishAheadMs = hour;

/**
 * Creates the next signing key before the current one reaches the end of its period, and deletes keys whose last token
 * has expired. Safe to run at any time and in several processes at once: if two processes create a key, both are
 * published.
 */
export async function rotateSigningKeys(deps: {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly accessTokenTtlMs: number;
}): Promise<void> {
  const { queries } = deps.database;
  const now = deps.clock();
  const { keys } = await readSigningKeys({ queries, sealer: deps.sealer });
  const newest = keys[0];
  // The server creates the first key, because it needs one immediately.
  if (newest !== undefined && newest.signsFrom + signingPeriodMs <= now + publishAheadMs) {
    await makeSigningKey({ ...deps, queries }, now + publishAheadMs);
  }
  const current = currentKey(keys, now);
  if (current === undefined || current.signsFrom + deps.accessTokenTtlMs + hour > now) return;
  await deleteSigningKeysBefore(queries, current.signsFrom);
}
