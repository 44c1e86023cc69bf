import type { Database, Queries } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Keyring } from './keyring.ts';
import { canaryOf, type KeySettings, loadKeyring, renewCanary } from './open-keyring.ts';
import {
  placeOf,
  type SealedSecret,
  sealedSecrets,
  tryOpen,
  type UnreadableSecret,
} from './sealed-secrets.ts';
import type { UnreadableReason } from './secret-unreadable.ts';

export interface Rotation {
  /** Secrets that were sealed with the current key by this run. */
  readonly rotated: number;
  /** Secrets that still have another key. */
  readonly remaining: number;
  /** Of the current key. */
  readonly keyId: string;
  /** Those of the remaining that cannot be read; they were left as they are. */
  readonly unreadable: readonly UnreadableSecret[];
  /** Unreadable ones that were deleted because it was asked for; not among the remaining any more. */
  readonly discarded: number;
}

export interface RotateDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Rows of one transaction. */
  readonly sliceSize?: number;
  /** Deletes what cannot be read: the way on after the loss of a key. */
  readonly discardUnreadable?: boolean;
}

/** Short enough that a webhook which waits for the write lock of SQLite does not notice. */
const usualSliceSize = 100;

/** A process that still has the former key may go on writing with it; it is not waited for without end. */
const maxPasses = 5;

/**
 * Seals every connection secret with the current key, slice by slice, the canary last. To be stopped anywhere and
 * begun again; safe while other processes save and delete: a secret that changed since it was read is left to them.
 */
export async function rotateSecrets(deps: RotateDeps, secrets: KeySettings): Promise<Rotation> {
  const { queries } = deps.database;
  const { keyring } = await loadKeyring(queries, secrets, deps.clock);
  let rotated = 0;
  let unreadable: readonly Unreadable[] = [];
  let remaining = await countOthers(queries, keyring);
  for (let pass = 1; pass <= maxPasses && remaining > unreadable.length; pass += 1) {
    const done = await onePass(deps, keyring);
    rotated += done.rotated;
    unreadable = done.unreadable;
    remaining = await countOthers(queries, keyring);
  }
  const discarded = deps.discardUnreadable === true ? await discard(queries, unreadable) : 0;
  if (discarded > 0) remaining = await countOthers(queries, keyring);
  if (remaining <= unreadable.length) await settleCanary(deps, secrets);
  return {
    rotated,
    remaining,
    keyId: keyring.keyId,
    unreadable: discarded > 0 ? [] : unreadable.map(({ secret, reason }) => ({ ...placeOf(secret), reason })),
    discarded,
  };
}

interface Unreadable {
  readonly secret: SealedSecret;
  readonly reason: UnreadableReason;
}

interface Resealed {
  readonly secret: SealedSecret;
  readonly envelope: string;
}

/** Every secret of another key, once. */
async function onePass(
  { database, clock, sliceSize = usualSliceSize }: RotateDeps,
  keyring: Keyring,
): Promise<{ readonly rotated: number; readonly unreadable: readonly Unreadable[] }> {
  const unreadable: Unreadable[] = [];
  let rotated = 0;
  for await (const slice of sealedSecrets(database.queries, { sliceSize, notSealedWith: keyring.keyId })) {
    const seen = slice.map((secret) => reseal(keyring, secret));
    unreadable.push(...seen.filter((one) => 'reason' in one));
    const resealed = seen.filter((one) => 'envelope' in one);
    if (resealed.length > 0) {
      rotated += await database.transaction((tx) => replaceAll(tx, keyring, resealed, clock()));
    }
  }
  return { rotated, unreadable };
}

/** Outside a transaction, so that none is held while thousands are decrypted. */
function reseal(keyring: Keyring, secret: SealedSecret): Resealed | Unreadable {
  const opened = tryOpen(keyring, secret);
  if ('reason' in opened) return { secret, reason: opened.reason };
  return { secret, envelope: keyring.seal(placeOf(secret), opened.text) };
}

async function replaceAll(
  tx: Queries,
  keyring: Keyring,
  resealed: readonly Resealed[],
  now: number,
): Promise<number> {
  let replaced = 0;
  for (const { secret, envelope } of resealed) {
    const result = await tx
      .updateTable('connection_secrets')
      .set({ envelope, key_id: keyring.keyId, updated_at: now })
      .where('connection_id', '=', secret.connection_id)
      .where('field', '=', secret.field)
      .where('envelope', '=', secret.envelope)
      .executeTakeFirst();
    replaced += Number(result.numUpdatedRows);
  }
  return replaced;
}

/** What was saved anew meanwhile stays. */
async function discard(queries: Queries, unreadable: readonly Unreadable[]): Promise<number> {
  let discarded = 0;
  for (const { secret } of unreadable) {
    const result = await queries
      .deleteFrom('connection_secrets')
      .where('connection_id', '=', secret.connection_id)
      .where('field', '=', secret.field)
      .where('envelope', '=', secret.envelope)
      .executeTakeFirst();
    discarded += Number(result.numDeletedRows);
  }
  return discarded;
}

/** From now on a process without the current key refuses to start. */
async function settleCanary({ database, clock }: RotateDeps, secrets: KeySettings): Promise<void> {
  const { keyring, row } = await loadKeyring(database.queries, secrets, clock);
  if (canaryOf(keyring, row) !== 'current') await renewCanary(database.queries, keyring, row.canary);
}

async function countOthers(queries: Queries, { keyId }: Keyring): Promise<number> {
  const { count } = await queries
    .selectFrom('connection_secrets')
    .where('key_id', '!=', keyId)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
