import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Sealer } from '../../../foundation/secrets/sealer.ts';
import { currentKey, deleteSigningKeysBefore, makeSigningKey, readSigningKeys } from './signing-keys.ts';

const hour = 3_600_000;

/** How long a key signs. */
const period = 90 * 24 * hour;

/** Published before it signs: caches of the key set, and every process, have it by then. */
const published = hour;

/**
 * Makes the next signing key when the current one is due, and takes away those whose last token has expired. Safe to
 * run at any time and in several processes at once: two keys that were made together are both published.
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
  // The first one is made by the server, which needs it at once.
  if (newest !== undefined && newest.signsFrom + period <= now + published) {
    await makeSigningKey({ ...deps, queries }, now + published);
  }
  const current = currentKey(keys, now);
  if (current === undefined || current.signsFrom + deps.accessTokenTtlMs + hour > now) return;
  await deleteSigningKeysBefore(queries, current.signsFrom);
}
