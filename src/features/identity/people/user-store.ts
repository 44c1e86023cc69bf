import type { Queries } from '../../../foundation/db/database.ts';
import type { UserRow } from '../../../foundation/db/tables.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { newId, type UserId } from '../../../foundation/kernel/ids.ts';
import { checkEmail, type User } from './user.ts';

export async function findUser(queries: Queries, email: string): Promise<User | undefined> {
  const row = await queries
    .selectFrom('users')
    .select(['id', 'email', 'disabled_at'])
    .where('email', '=', checkEmail(email))
    .executeTakeFirst();
  return row && toUser(row);
}

export async function findUserById(queries: Queries, id: UserId): Promise<User | undefined> {
  const row = await queries
    .selectFrom('users')
    .select(['id', 'email', 'disabled_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toUser(row);
}

export function toUser(row: Pick<UserRow, 'id' | 'email' | 'disabled_at'>): User {
  return { id: row.id as UserId, email: row.email, disabled: row.disabled_at !== null };
}

export interface PasswordHolder extends User {
  readonly passwordHash: string | undefined;
}

/** Whom a password would sign in. `email` as `checkEmail` normalizes it. */
export async function findPasswordHolder(
  queries: Queries,
  email: string,
): Promise<PasswordHolder | undefined> {
  const row = await queries
    .selectFrom('users')
    .select(['id', 'email', 'disabled_at', 'password_hash'])
    .where('email', '=', email)
    .executeTakeFirst();
  return row && { ...toUser(row), passwordHash: row.password_hash ?? undefined };
}

export interface EnsuredUser extends User {
  /** By this call. */
  readonly created: boolean;
}

/** The user of that address, created without a password when missing. */
export async function ensureUser(queries: Queries, address: string, clock: Clock): Promise<EnsuredUser> {
  const email = checkEmail(address);
  const created = await insertUser(queries, { email }, clock());
  if (created !== undefined) return { ...created, created: true };
  const found = await findUser(queries, email);
  if (found === undefined) throw new Error('a user went while they were looked at');
  return { ...found, created: false };
}

/**
 * Makes an account; `undefined` where somebody of that address came first, whose account stays as it is: who gets one
 * by this call may give it a password, and nobody else. `email` as `checkEmail` normalizes it.
 */
export async function insertUser(
  queries: Queries,
  { email, passwordHash }: { readonly email: string; readonly passwordHash?: string },
  now: number,
): Promise<User | undefined> {
  const row = await queries
    .insertInto('users')
    .values({
      id: newId<UserId>(now),
      email,
      name: email.slice(0, email.indexOf('@')),
      password_hash: passwordHash ?? null,
      disabled_at: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row && { id: row.id as UserId, email, disabled: false };
}

/** Nobody else changes this user until the transaction ends; what was read before may be read anew now. */
export async function lockUser(tx: Queries, id: UserId): Promise<void> {
  await tx
    .updateTable('users')
    .set((e) => ({ email: e.ref('email') }))
    .where('id', '=', id)
    .execute();
}

/** `hash` as `hashPassword` encodes it. */
export async function setPasswordHash(queries: Queries, id: UserId, hash: string): Promise<void> {
  await queries.updateTable('users').set({ password_hash: hash }).where('id', '=', id).execute();
}

/** A disabled user's keys, sessions and grants stop counting with the next request; nothing of theirs is deleted. */
export async function disableUser(queries: Queries, id: UserId, now: number): Promise<void> {
  await queries
    .updateTable('users')
    .set({ disabled_at: now })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .execute();
}

export async function enableUser(queries: Queries, id: UserId): Promise<void> {
  await queries.updateTable('users').set({ disabled_at: null }).where('id', '=', id).execute();
}

/** Whether anybody exists yet: until then the host operator bootstraps the deployment. */
export async function hasUsers(queries: Queries): Promise<boolean> {
  const row = await queries.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}
