import type { Queries } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { newId, type UserId } from '../../foundation/kernel/ids.ts';
import { checkEmail, type User } from './user.ts';

export async function findUser(queries: Queries, email: string): Promise<User | undefined> {
  const row = await queries
    .selectFrom('users')
    .select(['id', 'email', 'disabled_at'])
    .where('email', '=', checkEmail(email))
    .executeTakeFirst();
  return row && { id: row.id as UserId, email: row.email, disabled: row.disabled_at !== null };
}

export async function findUserById(queries: Queries, id: UserId): Promise<User | undefined> {
  const row = await queries
    .selectFrom('users')
    .select(['email', 'disabled_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { id, email: row.email, disabled: row.disabled_at !== null };
}

/** Whom a password would sign in. `email` as `checkEmail` normalizes it. */
export async function findPasswordHolder(
  queries: Queries,
  email: string,
): Promise<(User & { readonly passwordHash: string | undefined }) | undefined> {
  const row = await queries
    .selectFrom('users')
    .select(['id', 'email', 'disabled_at', 'password_hash'])
    .where('email', '=', email)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const passwordHash = row.password_hash ?? undefined;
  return { id: row.id as UserId, email: row.email, disabled: row.disabled_at !== null, passwordHash };
}

/** The user of that address, created without a password when missing. */
export async function ensureUser(queries: Queries, address: string, clock: Clock): Promise<User> {
  const email = checkEmail(address);
  const now = clock();
  const id = newId<UserId>(now);
  await queries
    .insertInto('users')
    .values({
      id,
      email,
      name: email.slice(0, email.indexOf('@')),
      password_hash: null,
      disabled_at: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute();
  return (await findUser(queries, email)) ?? { id, email, disabled: false };
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
