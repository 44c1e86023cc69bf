import type { Queries } from '../../foundation/db/database.ts';
import type { OneTimeLinkRow } from '../../foundation/db/tables.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { UserId } from '../../foundation/kernel/ids.ts';
import { hashToken, newSecretToken } from './secret-token.ts';

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

/** What opening the link would come to; looking does not use it up. */
export async function inspectOneTimeLink(
  queries: Queries,
  token: string,
  clock: Clock,
): Promise<'valid' | 'expired' | 'used' | 'unknown'> {
  const row = await queries
    .selectFrom('one_time_links')
    .select(['expires_at', 'used_at'])
    .where('hash', '=', hashToken(token))
    .executeTakeFirst();
  if (row === undefined) return 'unknown';
  if (row.used_at !== null) return 'used';
  return row.expires_at <= clock() ? 'expired' : 'valid';
}

/** Where people open it. `appUrl` is the origin of page links, without a trailing slash. */
export function oneTimeLinkUrl(appUrl: string, token: string): string {
  return `${appUrl}/.auth/link/${token}`;
}
