import type { Queries } from '../../../foundation/db/database.ts';
import type { OneTimeLinkRow } from '../../../foundation/db/tables.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import { hashToken, newSecretToken } from '../secret-token.ts';

/** 30 minutes (contract, section 1). */
const lifetimeMs = 30 * 60_000;

export interface OneTimeLink {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A link that works once within 30 minutes: whoever opens it is let in. Only the hash of its token is stored. */
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

/** What opening a link would come to. */
export type OneTimeLinkState =
  | { readonly state: 'valid'; readonly purpose: 'bootstrap' }
  | { readonly state: 'valid'; readonly purpose: 'sign-in'; readonly email: string }
  | { readonly state: 'expired' | 'used' | 'unknown' };

/** Looking at a link does not use it up. */
export async function inspectOneTimeLink(
  queries: Queries,
  token: string,
  clock: Clock,
): Promise<OneTimeLinkState> {
  const row = await queries
    .selectFrom('one_time_links as l')
    .leftJoin('users as u', 'u.id', 'l.user_id')
    .select(['l.purpose', 'l.expires_at', 'l.used_at', 'u.email', 'u.disabled_at'])
    .where('l.hash', '=', hashToken(token))
    .executeTakeFirst();
  if (row === undefined) return { state: 'unknown' };
  if (row.used_at !== null) return { state: 'used' };
  // Of a disabled user it opens nothing, now or later.
  if (row.expires_at <= clock() || row.disabled_at !== null) return { state: 'expired' };
  if (row.purpose === 'bootstrap') return { state: 'valid', purpose: 'bootstrap' };
  return { state: 'valid', purpose: 'sign-in', email: row.email ?? '' };
}

/**
 * Uses a sign-in link up: whose it is, or `undefined` where it does not count (any more). One statement, so that of
 * two who open it at the same time one gets in.
 */
export async function spendSignInLink(tx: Queries, token: string, now: number): Promise<UserId | undefined> {
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
 * Uses every bootstrap link up, if `token` is one that counts. All in one statement: of two people with a link each,
 * the second waits for the first and then has none.
 */
export async function spendBootstrapLinks(tx: Queries, token: string, now: number): Promise<boolean> {
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

/** Where people open it. `appUrl` is the origin of page links, without a trailing slash. */
export function oneTimeLinkUrl(appUrl: string, token: string): string {
  return `${appUrl}/.auth/link/${token}`;
}
