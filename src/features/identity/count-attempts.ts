import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Queries } from '../../foundation/db/database.ts';
import { RateLimited } from '../../foundation/kernel/errors.ts';

/** What is counted, for whom, and how often it may happen. Counts are shared by all processes of a deployment. */
export interface AttemptLimit {
  /** `sign-in-account`, `device-code-address`. */
  readonly kind: string;
  /** An account, an address; kept as a hash. */
  readonly subject: string;
  readonly limit: number;
  /** From the first attempt on. */
  readonly windowMs: number;
}

/**
 * Counts one attempt: a single statement, so that none of many at once is missed.
 * @throws RateLimited with the seconds until counting begins anew, from the one after `limit` on
 */
export async function countAttempt(queries: Queries, attempt: AttemptLimit, now: number): Promise<void> {
  const row = await queries
    .insertInto('attempts')
    .values({ key: keyOf(attempt), count: 1, resets_at: now + attempt.windowMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when attempts.resets_at <= ${now} then 1 else attempts.count + 1 end`,
        resets_at: sql<number>`case when attempts.resets_at <= ${now} then ${now + attempt.windowMs} else attempts.resets_at end`,
      }),
    )
    .returning(['count', 'resets_at'])
    .executeTakeFirstOrThrow();
  if (row.count > attempt.limit) throw tooMany(row.resets_at, now);
}

/** Begins anew. */
export async function forgetAttempts(
  queries: Queries,
  attempt: Pick<AttemptLimit, 'kind' | 'subject'>,
): Promise<void> {
  await queries.deleteFrom('attempts').where('key', '=', keyOf(attempt)).execute();
}

/** Takes one back, since it turned out to be a good one. */
export async function uncountAttempt(
  queries: Queries,
  attempt: Pick<AttemptLimit, 'kind' | 'subject'>,
): Promise<void> {
  await queries
    .updateTable('attempts')
    .set((e) => ({ count: e('count', '-', 1) }))
    .where('key', '=', keyOf(attempt))
    .where('count', '>', 0)
    .execute();
}

function keyOf({ kind, subject }: Pick<AttemptLimit, 'kind' | 'subject'>): string {
  return `${kind}:${createHash('sha256').update(subject).digest('base64url')}`;
}

function tooMany(resetsAt: number, now: number): RateLimited {
  const retryAfter = Math.max(1, Math.ceil((resetsAt - now) / 1_000));
  const wait = retryAfter > 90 ? `${Math.ceil(retryAfter / 60)} minutes` : `${retryAfter} seconds`;
  return new RateLimited(`Too many attempts: wait ${wait}, then try again.`, { retryAfter });
}
