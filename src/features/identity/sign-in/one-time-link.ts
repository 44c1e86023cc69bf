import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import { hashToken, newSecretToken } from '../secret-token.ts';
import type { OneTimeLinkRow } from '../tables.ts';

/** Lifetime of a link, in milliseconds: 30 minutes (contract, section 1). */
const lifetimeMs = 30 * 60_000;

export interface OneTimeLink {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Creates a link that is valid once within 30 minutes, for anyone who has it. Only the hash of its token is stored. */
export async function createOneTimeLink(
  queries: Queries,
  request: { readonly purpose: OneTimeLinkRow['purpose']; readonly userId?: UserId | undefined },
  clock: Clock,
): Promise<OneTimeLink> {
  const now = clock();
  const link = { token: newSecretToken(), expiresAt: now + lifetimeMs };
  await queries
    .insertInto('one_time_links')
    .values({
      hash: hashToken(link.token),
      purpose: request.purpose,
      user_id: request.userId ?? null,
      expires_at: link.expiresAt,
      used_at: null,
      created_at: now,
    })
    .execute();
  return link;
}

/** The state of a link. */
export type OneTimeLinkState =
  | { readonly state: 'valid'; readonly purpose: 'bootstrap' }
  | {
      readonly state: 'valid';
      readonly purpose: 'sign-in';
      readonly email: string;
      readonly hasPassword: boolean;
    }
  | { readonly state: 'expired' | 'used' | 'unknown' };

/** Returns the state of a link without consuming it. */
export async function inspectOneTimeLink(
  queries: Queries,
  token: string,
  clock: Clock,
): Promise<OneTimeLinkState> {
  const row = await queries
    .selectFrom('one_time_links as l')
    .leftJoin('users as u', 'u.id', 'l.user_id')
    .select(['l.purpose', 'l.expires_at', 'l.used_at', 'u.email', 'u.disabled_at', 'u.password_hash'])
    .where('l.hash', '=', hashToken(token))
    .executeTakeFirst();
  if (row === undefined) return { state: 'unknown' };
  if (row.used_at !== null) return { state: 'used' };
  // A link of a disabled user is never valid.
  if (row.expires_at <= clock() || row.disabled_at !== null) return { state: 'expired' };
  if (row.purpose === 'bootstrap') return { state: 'valid', purpose: 'bootstrap' };
  return {
    state: 'valid',
    purpose: 'sign-in',
    email: row.email ?? '',
    hasPassword: row.password_hash !== null,
  };
}

/**
 * Consumes a sign-in link and returns its user; `undefined` if the link is not valid. A single statement, so that only
 * one of two concurrent requests succeeds.
 */
export async function consumeSignInLink(
  tx: Queries,
  token: string,
  now: number,
): Promise<UserId | undefined> {
  const row = await tx
    .updateTable('one_time_links')
    .set({ used_at: now })
    .where('hash', '=', hashToken(token))
    .where('purpose', '=', 'sign-in')
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return (row?.user_id ?? undefined) as UserId | undefined;
}

/**
 * Consumes every valid bootstrap link. Returns whether `token` was one of them. A single statement, so that of two
 * users with different links the second waits for the first and then has no valid link.
 */
export async function consumeBootstrapLinks(tx: Queries, token: string, now: number): Promise<boolean> {
  const rows = await tx
    .updateTable('one_time_links')
    .set({ used_at: now })
    .where('purpose', '=', 'bootstrap')
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('hash')
    .execute();
  return rows.some(({ hash }) => hash === hashToken(token));
}

/** Returns the URL of a link. `appUrl` is the origin of page links, without a trailing slash. */
export function oneTimeLinkUrl(appUrl: string, token: string): string {
  return `${appUrl}/.auth/link/${token}`;
}
