import { sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { dialectOf } from '../db/dialect.ts';
import { givenRows } from '../db/given-rows.ts';
import type { Clock } from '../kernel/clock.ts';
import { findCanaryKey, readCanary, renewCanary } from './canary.ts';
import type { Keyring } from './keyring.ts';
import {
  countSealedWithOtherKeys,
  placeOf,
  type SealedSecret,
  sealedSecrets,
  tryOpen,
  type UnreadableSecret,
  unreadableSecret,
} from './sealed-secrets.ts';

export interface Rotation {
  /** Number of secrets that this run sealed with the current key. */
  readonly rotated: number;
  /** Number of secrets that are still sealed with another key. */
  readonly remaining: number;
  /** Id of the current key. */
  readonly keyId: string;
  /** Remaining secrets that cannot be decrypted. They were not changed. */
  readonly unreadable: readonly UnreadableSecret[];
}

export interface RotateDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Number of rows per transaction. Default: 100. */
  readonly sliceSize?: number;
}

/**
 * Default number of rows per transaction. Small enough not to delay webhooks that wait for the write lock of SQLite.
 */
const defaultSliceSize = 100;

/** Maximum number of passes, because a process that still has the former key may continue to write with it. */
const maxPasses = 5;

/**
 * Seals every connection secret with the current key, slice by slice, and the canary last. It can be interrupted and
 * restarted, and is safe while other processes save and delete secrets: a secret that changed since it was read is
 * skipped.
 */
export async function rotateSecrets(deps: RotateDeps, keyring: Keyring): Promise<Rotation> {
  const { queries } = deps.database;
  const countRemaining = (): Promise<number> => countSealedWithOtherKeys(queries, [keyring.keyId]);
  let rotated = 0;
  let unreadable: readonly UnreadableSecret[] = [];
  let remaining = await countRemaining();
  for (let pass = 1; pass <= maxPasses && remaining > unreadable.length; pass += 1) {
    const done = await onePass(deps, keyring);
    rotated += done.rotated;
    unreadable = done.unreadable;
    remaining = await countRemaining();
  }
  if (remaining <= unreadable.length) await updateCanary(queries, keyring);
  return { rotated, remaining, keyId: keyring.keyId, unreadable };
}

interface Resealed {
  readonly secret: SealedSecret;
  /** Envelope sealed with the current key. */
  readonly resealed: string;
}

/** Processes every secret of another key once. */
async function onePass(
  { database, clock, sliceSize = defaultSliceSize }: RotateDeps,
  keyring: Keyring,
): Promise<Pick<Rotation, 'rotated' | 'unreadable'>> {
  const unreadable: UnreadableSecret[] = [];
  let rotated = 0;
  for await (const slice of sealedSecrets(database.queries, { sliceSize, notSealedWith: keyring.keyId })) {
    const seen = slice.map((secret) => reseal(keyring, secret));
    unreadable.push(...seen.filter((one) => 'reason' in one));
    const resealed = seen.filter((one) => 'resealed' in one);
    if (resealed.length > 0) {
      rotated += await database.transaction((tx) => replaceAll(tx, keyring, resealed, clock()));
    }
  }
  return { rotated, unreadable };
}

/** Seals a secret again. Runs outside a transaction, so that none is open while thousands are decrypted. */
function reseal(keyring: Keyring, secret: SealedSecret): Resealed | UnreadableSecret {
  const opened = tryOpen(keyring, secret);
  if ('reason' in opened) return unreadableSecret(secret, opened.reason);
  return { secret, resealed: keyring.seal(placeOf(secret), opened.text) };
}

/**
 * Replaces the envelopes of a slice in one statement, which costs one round trip. Secrets that changed since they
 * were read are skipped.
 */
async function replaceAll(
  tx: Queries,
  { keyId }: Keyring,
  slice: readonly Resealed[],
  now: number,
): Promise<number> {
  const columns = { connection_id: 'text', field: 'text', former: 'text', envelope: 'text' } as const;
  const rows = slice.map(({ secret: { connection_id, field, envelope: former }, resealed: envelope }) => ({
    connection_id,
    field,
    former,
    envelope,
  }));
  const result = await sql`
    update connection_secrets set envelope = given.envelope, key_id = ${keyId}, updated_at = ${now}
    from ${givenRows(dialectOf(tx), columns, rows)}
    where connection_secrets.connection_id = given.connection_id
      and connection_secrets.field = given.field
      and connection_secrets.envelope = given.former`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

/** Seals the canary with the current key. From then on a process without that key refuses to start. */
async function updateCanary(queries: Queries, keyring: Keyring): Promise<void> {
  const canary = await readCanary(queries);
  if (findCanaryKey(keyring, canary) !== 'current') await renewCanary(queries, keyring, canary);
}
