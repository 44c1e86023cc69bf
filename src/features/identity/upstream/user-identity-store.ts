import type { Queries } from '../../../foundation/db/database.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import type { User } from '../people/user.ts';
import { toUser } from '../people/user-store.ts';

/** Finds the user linked to the issuer's `subject`. */
export async function findUserByIdentity(
  queries: Queries,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<User | undefined> {
  const row = await queries
    .selectFrom('user_identities as i')
    .innerJoin('users as u', 'u.id', 'i.user_id')
    .where('i.issuer', '=', issuer)
    .where('i.subject', '=', subject)
    .select(['u.id', 'u.email', 'u.disabled_at'])
    .executeTakeFirst();
  return row && toUser(row);
}

/** Finds the account with that e-mail address. `claimed` is true if it has a password or a linked identity. */
export async function findAccountByEmail(
  queries: Queries,
  email: string,
): Promise<(User & { readonly claimed: boolean }) | undefined> {
  const row = await queries
    .selectFrom('users as u')
    .leftJoin('user_identities as i', 'i.user_id', 'u.id')
    .where('u.email', '=', email)
    .select(['u.id', 'u.email', 'u.disabled_at', 'u.password_hash', 'i.subject'])
    .limit(1)
    .executeTakeFirst();
  return row && { ...toUser(row), claimed: row.password_hash !== null || row.subject !== null };
}

export async function insertIdentity(
  tx: Queries,
  identity: { readonly issuer: string; readonly subject: string; readonly userId: UserId },
  now: number,
): Promise<void> {
  await tx
    .insertInto('user_identities')
    .values({
      issuer: identity.issuer,
      subject: identity.subject,
      user_id: identity.userId,
      created_at: now,
    })
    .execute();
}

export async function isInvited(queries: Queries, email: string, now: number): Promise<boolean> {
  const row = await queries
    .selectFrom('invitations')
    .select('id')
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
