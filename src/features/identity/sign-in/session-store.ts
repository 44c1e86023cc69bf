import type { Queries } from '../../../foundation/db/database.ts';
import { preparedQuery } from '../../../foundation/db/prepared-query.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import { hashToken, newSecretToken } from '../secret-token.ts';
import { type BrowserSession, type NewSession, sessionLimits } from './session.ts';

export interface SessionRequest {
  readonly userId: UserId;
  /** Address of the browser, with which users recognize the session. */
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** Maximum length of a stored user agent, in characters. Browsers can send any text. */
const maxUserAgent = 300;

/** Creates a session with a new token, which prevents session fixation. Call it in a transaction. */
export async function createSession(
  tx: Queries,
  { userId, address, userAgent }: SessionRequest,
  clock: Clock,
): Promise<NewSession> {
  const now = clock();
  const token = newSecretToken();
  const expiresAt = now + sessionLimits.idleMs;
  await endLeastRecent(tx, userId);
  await tx
    .insertInto('sessions')
    .values({
      hash: hashToken(token),
      user_id: userId,
      address: address ?? null,
      user_agent: userAgent?.slice(0, maxUserAgent) ?? null,
      last_seen_at: now,
      expires_at: expiresAt,
      created_at: now,
    })
    .execute();
  return { token, expiresAt };
}

async function endLeastRecent(tx: Queries, userId: UserId): Promise<void> {
  const kept = tx
    .selectFrom('sessions')
    .select('hash')
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('hash')
    .limit(sessionLimits.perUser - 1);
  await tx.deleteFrom('sessions').where('user_id', '=', userId).where('hash', 'not in', kept).execute();
}

const sessionByHash = preparedQuery(['hash'], (queries, { hash }) =>
  queries
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .where('s.hash', '=', hash)
    .where('u.disabled_at', 'is', null)
    .select(['s.hash', 's.user_id', 's.last_seen_at', 's.expires_at', 's.created_at', 'u.email']),
);

/**
 * Finds the session of a cookie's token; `undefined` if it is unknown or expired, or its user is disabled. Never
 * cached, so that each of these takes effect with the next request. Extends the expiry of the session.
 */
export async function findSession(
  queries: Queries,
  token: string,
  clock: Clock,
): Promise<BrowserSession | undefined> {
  const now = clock();
  const [row] = await sessionByHash(queries, { hash: hashToken(token) });
  if (row === undefined || row.expires_at <= now) return undefined;
  if (row.last_seen_at <= now - sessionLimits.lastSeenPrecisionMs) {
    const expiresAt = Math.min(now + sessionLimits.idleMs, row.created_at + sessionLimits.maxMs);
    // Best effort: the page neither waits for this write nor fails with it.
    void touch(queries, row.hash, { now, expiresAt }).catch(() => undefined);
  }
  return { hash: row.hash, userId: row.user_id as UserId, email: row.email };
}

async function touch(
  queries: Queries,
  hash: string,
  { now, expiresAt }: { readonly now: number; readonly expiresAt: number },
): Promise<void> {
  await queries
    .updateTable('sessions')
    .set({ last_seen_at: now, expires_at: expiresAt })
    .where('hash', '=', hash)
    .execute();
}

/** Ends the session of one browser. */
export async function endSession(queries: Queries, token: string): Promise<void> {
  await queries.deleteFrom('sessions').where('hash', '=', hashToken(token)).execute();
}

/** Ends every session of a user. Call it in the transaction of the change that requires it. */
export async function endSessionsOf(tx: Queries, userId: UserId): Promise<void> {
  await tx.deleteFrom('sessions').where('user_id', '=', userId).execute();
}
