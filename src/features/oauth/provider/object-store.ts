import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Sealer } from '../../../foundation/secrets/sealer.ts';
import type { OauthObjectRow } from '../tables.ts';

export interface ObjectDeps {
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** The library's payload of one of its models. */
export type StoredPayload = Record<string, unknown>;

export interface StoredObject {
  readonly key: string;
  readonly payload: StoredPayload;
  readonly consumedAt: number | undefined;
  readonly expired: boolean;
}

/** Returns the key of a row. It is a keyed hash, because many ids are credentials and must not be stored. */
export function objectKey({ sealer }: Pick<ObjectDeps, 'sealer'>, model: string, id: string): string {
  return `${model}:${sealer.mac(`${model}:${id}`)}`;
}

/**
 * Inserts or replaces an object.
 * @param ttl lifetime in seconds. Default: none, the object stays until it is deleted
 */
export async function putObject(
  queries: Queries,
  deps: ObjectDeps,
  key: string,
  payload: StoredPayload,
  ttl?: number,
): Promise<void> {
  const row = rowOf(deps, key, payload, ttl);
  const { key: _key, model: _model, created_at: _created, ...changing } = row;
  await queries
    .insertInto('oauth_objects')
    .values({ ...row, consumed_at: null, claimed_by: null })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(changing))
    .execute();
}

function rowOf(
  { sealer, clock }: ObjectDeps,
  key: string,
  payload: StoredPayload,
  ttl: number | undefined,
): Omit<OauthObjectRow, 'consumed_at' | 'claimed_by'> {
  const now = clock();
  // The id of a code or refresh token is its credential, and consumption has its own column.
  const { jti: _jti, consumed: _consumed, ...kept } = payload;
  return {
    key,
    model: key.slice(0, key.indexOf(':')),
    payload: sealer.seal(key, JSON.stringify(kept)),
    grant_id: textOf(payload['grantId']),
    user_code: userCodeHash(sealer, payload['userCode']),
    expires_at: ttl === undefined ? null : now + ttl * 1000,
    created_at: now,
  };
}

/** Returns the keyed hash for look-ups by user code. A plain hash of so few characters could be reversed. */
function userCodeHash(sealer: Sealer, userCode: unknown): string | null {
  return typeof userCode === 'string' ? sealer.mac(`user code:${userCode}`) : null;
}

/** Finds an object; `undefined` if it is unknown, expired, or sealed with another AUTH_SECRET. */
export async function findObject(
  queries: Queries,
  deps: ObjectDeps,
  where: { readonly key: string } | { readonly userCode: string },
): Promise<StoredObject | undefined> {
  const found = await findObjectOfAnyAge(queries, deps, where);
  return found?.expired === true ? undefined : found;
}

/** Finds an object even if it has expired, until it is purged (`purge-authorizations.ts`). */
export async function findObjectOfAnyAge(
  queries: Queries,
  deps: ObjectDeps,
  where: { readonly key: string } | { readonly userCode: string },
): Promise<StoredObject | undefined> {
  const column = 'key' in where ? 'key' : 'user_code';
  const value = 'key' in where ? where.key : userCodeHash(deps.sealer, where.userCode);
  const row = await queries
    .selectFrom('oauth_objects')
    .select(['key', 'payload', 'consumed_at', 'expires_at'])
    .where(column, '=', value)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const text = deps.sealer.open(row.key, row.payload);
  if (text === undefined) return undefined;
  return {
    key: row.key,
    payload: JSON.parse(text) as StoredPayload,
    consumedAt: row.consumed_at ?? undefined,
    expired: row.expires_at !== null && row.expires_at <= deps.clock(),
  };
}

/** Marks an object as consumed. Returns true for exactly one caller across all processes. */
export async function consumeObject(queries: Queries, key: string, now: number): Promise<boolean> {
  const result = await queries
    .updateTable('oauth_objects')
    .set({ consumed_at: now })
    .where('key', '=', key)
    .where('consumed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Replaces the payload of an undecided object. Returns true for exactly one caller. The object's user code is no longer
 * valid afterwards.
 */
export async function decideObject(
  queries: Queries,
  { sealer, clock }: ObjectDeps,
  { key, payload }: Pick<StoredObject, 'key' | 'payload'>,
  undecided: 'consumed_at' | 'user_code',
): Promise<boolean> {
  const decision =
    undecided === 'consumed_at'
      ? { consumed_at: clock() }
      : { user_code: null, grant_id: textOf(payload['grantId']) };
  const result = await queries
    .updateTable('oauth_objects')
    .set({ payload: sealer.seal(key, JSON.stringify(payload)), ...decision })
    .where('key', '=', key)
    .where(undecided, undecided === 'consumed_at' ? 'is' : 'is not', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Claims an object for `claimant`; the first claim wins. Returns true if `claimant` owns it now, also by an earlier
 * claim.
 */
export async function claimObject(queries: Queries, key: string, claimant: string): Promise<boolean> {
  const result = await queries
    .updateTable('oauth_objects')
    .set({ claimed_by: claimant })
    .where('key', '=', key)
    .where((e) => e.or([e('claimed_by', 'is', null), e('claimed_by', '=', claimant)]))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Deletes an object that was not consumed. A consumed one is kept until `until` (milliseconds since the epoch), so that
 * a repeated request gets the same result.
 */
export async function retireObject(queries: Queries, key: string, until: number): Promise<void> {
  await queries.deleteFrom('oauth_objects').where('key', '=', key).where('consumed_at', 'is', null).execute();
  await queries
    .updateTable('oauth_objects')
    .set({ expires_at: until })
    .where('key', '=', key)
    .where('expires_at', '>', until)
    .execute();
}

export async function deleteObject(queries: Queries, key: string): Promise<void> {
  await queries.deleteFrom('oauth_objects').where('key', '=', key).execute();
}

/** Deletes all objects of one model that belong to a grant. */
export async function deleteObjectsOfGrant(queries: Queries, model: string, grantId: string): Promise<void> {
  await queries
    .deleteFrom('oauth_objects')
    .where('grant_id', '=', grantId)
    .where('model', '=', model)
    .execute();
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
