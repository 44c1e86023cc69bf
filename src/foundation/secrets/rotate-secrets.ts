import { sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { dialectOf } from '../db/dialect.ts';
import { givenRows } from '../db/given-rows.ts';
import type { Clock } from '../kernel/clock.ts';
import { canaryMaker, readCanary, renewCanary } from './canary.ts';
import type { Keyring } from './keyring.ts';
import {
  countSealedWithOthers,
  placeOf,
  type SealedSecret,
  sealedSecrets,
  tryOpen,
  type UnreadableSecret,
  unreadableSecret,
} from './sealed-secrets.ts';

export interface Rotation {
  /** Secrets that were sealed with the current key by this run. */
  readonly rotated: number;
  /** Secrets that still have another key. */
  readonly remaining: number;
  /** Of the current key. */
  readonly keyId: string;
  /** Those of the remaining that cannot be read; they were left as they are. */
  readonly unreadable: readonly UnreadableSecret[];
}

export interface RotateDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Rows of one transaction. */
  readonly sliceSize?: number;
}

/** Short enough that a webhook which waits for the write lock of SQLite does not notice. */
const usualSliceSize = 100;

/** A process that still has the former key may go on writing with it; it is not waited for without end. */
const maxPasses = 5;

/**
 * Seals every connection secret with the current key, slice by slice, the canary last. To be stopped anywhere and
 * begun again; safe while other processes save and delete: a secret that changed since it was read is left to them.
 */
export async function rotateSecrets(deps: RotateDeps, keyring: Keyring): Promise<Rotation> {
  const { queries } = deps.database;
  const countRemaining = (): Promise<number> => countSealedWithOthers(queries, [keyring.keyId]);
  let rotated = 0;
  let unreadable: readonly UnreadableSecret[] = [];
  let remaining = await countRemaining();
  for (let pass = 1; pass <= maxPasses && remaining > unreadable.length; pass += 1) {
    const done = await onePass(deps, keyring);
    rotated += done.rotated;
    unreadable = done.unreadable;
    remaining = await countRemaining();
  }
  if (remaining <= unreadable.length) await settleCanary(queries, keyring);
  return { rotated, remaining, keyId: keyring.keyId, unreadable };
}

interface Resealed {
  readonly secret: SealedSecret;
  /** With the current key. */
  readonly resealed: string;
}

/** Every secret of another key, once. */
async function onePass(
  { database, clock, sliceSize = usualSliceSize }: RotateDeps,
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

/** Outside a transaction, so that none is held while thousands are decrypted. */
function reseal(keyring: Keyring, secret: SealedSecret): Resealed | UnreadableSecret {
  const opened = tryOpen(keyring, secret);
  if ('reason' in opened) return unreadableSecret(secret, opened.reason);
  return { secret, resealed: keyring.seal(placeOf(secret), opened.text) };
}

/** One statement, so that a slice costs one round trip; those that are no longer as they were read stay. */
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

/** From now on a process without the current key refuses to start. */
async function settleCanary(queries: Queries, keyring: Keyring): Promise<void> {
  const canary = await readCanary(queries);
  if (canaryMaker(keyring, canary) !== 'current') await renewCanary(queries, keyring, canary);
}
