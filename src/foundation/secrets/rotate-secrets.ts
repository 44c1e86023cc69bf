import type { Database, Queries } from '../db/database.ts';
import type { ConnectionSecretRow } from '../db/tables.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Keyring, SecretPlace } from './keyring.ts';
import { canaryOf, type KeySettings, loadKeyring, renewCanary } from './open-keyring.ts';
import { SecretUnreadable, type UnreadableReason } from './secret-unreadable.ts';

export interface UnreadableSecret extends SecretPlace {
  readonly reason: UnreadableReason;
}

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

type Row = Pick<ConnectionSecretRow, 'connection_id' | 'field' | 'envelope'>;

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
    unreadable: discarded > 0 ? [] : unreadable.map(({ row, reason }) => ({ ...placeOf(row), reason })),
    discarded,
  };
}

/** Every row of another key, once, in the order of the primary key. */
async function onePass(
  { database, clock, sliceSize = usualSliceSize }: RotateDeps,
  keyring: Keyring,
): Promise<{ readonly rotated: number; readonly unreadable: readonly Unreadable[] }> {
  const unreadable: Unreadable[] = [];
  let rotated = 0;
  let after: Row | undefined;
  for (;;) {
    const rows = await nextRows(database.queries, keyring, after, sliceSize);
    const resealed = rows.map((row) => reseal(keyring, row));
    unreadable.push(...resealed.filter((one) => 'reason' in one));
    const changes = resealed.filter((one) => 'envelope' in one);
    if (changes.length > 0) {
      rotated += await database.transaction((tx) => replaceAll(tx, keyring, changes, clock()));
    }
    after = rows.at(-1);
    if (after === undefined) return { rotated, unreadable };
  }
}

function nextRows(
  queries: Queries,
  keyring: Keyring,
  after: Row | undefined,
  limit: number,
): Promise<readonly Row[]> {
  let query = others(queries, keyring)
    .select(['connection_id', 'field', 'envelope'])
    .orderBy('connection_id')
    .orderBy('field')
    .limit(limit);
  if (after !== undefined) {
    query = query.where((e) =>
      e.or([
        e('connection_id', '>', after.connection_id),
        e.and([e('connection_id', '=', after.connection_id), e('field', '>', after.field)]),
      ]),
    );
  }
  return query.execute();
}

interface Change {
  readonly row: Row;
  readonly envelope: string;
}

interface Unreadable {
  readonly row: Row;
  readonly reason: UnreadableReason;
}

/** Outside a transaction, so that none is held while thousands are decrypted. */
function reseal(keyring: Keyring, row: Row): Change | Unreadable {
  const place = placeOf(row);
  try {
    return { row, envelope: keyring.seal(place, keyring.open(place, row.envelope)) };
  } catch (error) {
    if (error instanceof SecretUnreadable) return { row, reason: error.reason };
    throw error;
  }
}

function placeOf({ connection_id: connectionId, field }: Row): SecretPlace {
  return { connectionId, field };
}

async function replaceAll(
  tx: Queries,
  keyring: Keyring,
  changes: readonly Change[],
  now: number,
): Promise<number> {
  let replaced = 0;
  for (const { row, envelope } of changes) {
    const result = await tx
      .updateTable('connection_secrets')
      .set({ envelope, key_id: keyring.keyId, updated_at: now })
      .where('connection_id', '=', row.connection_id)
      .where('field', '=', row.field)
      .where('envelope', '=', row.envelope)
      .executeTakeFirst();
    replaced += Number(result.numUpdatedRows);
  }
  return replaced;
}

/** What was saved anew meanwhile stays. */
async function discard(queries: Queries, unreadable: readonly Unreadable[]): Promise<number> {
  let discarded = 0;
  for (const { row } of unreadable) {
    const result = await queries
      .deleteFrom('connection_secrets')
      .where('connection_id', '=', row.connection_id)
      .where('field', '=', row.field)
      .where('envelope', '=', row.envelope)
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

async function countOthers(queries: Queries, keyring: Keyring): Promise<number> {
  const { count } = await others(queries, keyring)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function others(queries: Queries, { keyId }: Keyring) {
  return queries.selectFrom('connection_secrets').where('key_id', '!=', keyId);
}
