import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { newId, type UserId } from '../../../foundation/kernel/ids.ts';
import type { UserRow } from '../tables.ts';
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

/** Finds the user for a sign-in by password. `email` must be normalized by `checkEmail`. */
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
  /** True if this call created the user. */
  readonly created: boolean;
}

/** Returns the user with that e-mail address and creates one without a password if there is none. */
export async function ensureUser(queries: Queries, address: string, clock: Clock): Promise<EnsuredUser> {
  const email = checkEmail(address);
  const created = await insertUser(queries, { email }, clock());
  if (created !== undefined) return { ...created, created: true };
  const found = await findUser(queries, email);
  if (found === undefined) throw new Error('the user was deleted during the look-up');
  return { ...found, created: false };
}

/**
 * Creates an account. Returns `undefined` if the address already has one, which is not changed: only the caller that
 * created an account may set its password. `email` must be normalized by `checkEmail`.
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

/** Locks a user until the transaction ends. Data that was read before the lock must be read again. */
export async function lockUser(tx: Queries, id: UserId): Promise<void> {
  await tx
    .updateTable('users')
    .set((e) => ({ email: e.ref('email') }))
    .where('id', '=', id)
    .execute();
}

/** Sets the password hash of a user. `hash` must be encoded by `hashPassword`. */
export async function setPasswordHash(queries: Queries, id: UserId, hash: string): Promise<void> {
  await queries.updateTable('users').set({ password_hash: hash }).where('id', '=', id).execute();
}

/** Disables a user. Keys, sessions and grants become invalid with the next request, but nothing is deleted. */
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

/** Returns whether any user exists. Until then the host operator can bootstrap the deployment. */
export async function hasUsers(queries: Queries): Promise<boolean> {
  const row = await queries.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}
