import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Queries } from '../../../foundation/db/database.ts';
import { RateLimited } from '../../../foundation/kernel/errors.ts';

/** What is counted, for whom. Counts are shared by all processes of a deployment. */
export interface AttemptSubject {
  /** `sign-in-account`, `device-code-network`. */
  readonly kind: string;
  /** An account, an address; kept as a hash. */
  readonly subject: string;
}

/** How often it may happen. */
export interface AttemptLimit extends AttemptSubject {
  readonly limit: number;
  /** From the first attempt on. */
  readonly windowMs: number;
}

/**
 * Counts one attempt under each of these limits, or under none of them where one is exhausted: that one is told by a
 * look, so that a flood of refused attempts writes nothing and waits for no writer.
 * @throws RateLimited with the seconds until counting begins anew, from the one after `limit` on
 */
export async function countAttempts(
  database: Pick<Database, 'queries' | 'transaction'>,
  attempts: readonly AttemptLimit[],
  now: number,
): Promise<void> {
  await refuseExhausted(database.queries, attempts, now);
  await database.transaction(async (tx) => {
    for (const attempt of attempts) await countUpToLimit(tx, attempt, now);
  });
}

/** One alone. @throws RateLimited */
export async function countAttempt(queries: Queries, attempt: AttemptLimit, now: number): Promise<void> {
  await refuseExhausted(queries, [attempt], now);
  await countUpToLimit(queries, attempt, now);
}

async function refuseExhausted(
  queries: Queries,
  attempts: readonly AttemptLimit[],
  now: number,
): Promise<void> {
  const rows = await queries
    .selectFrom('attempts')
    .selectAll()
    .where('key', 'in', attempts.map(keyOf))
    .where('resets_at', '>', now)
    .execute();
  for (const attempt of attempts) {
    const row = rows.find(({ key }) => key === keyOf(attempt));
    if (row !== undefined && row.count >= attempt.limit) throw tooMany(row.resets_at, now);
  }
}

/** A single statement, so that none of many at once is missed, and none beyond the limit is written. */
async function countUpToLimit(queries: Queries, attempt: AttemptLimit, now: number): Promise<void> {
  const row = await queries
    .insertInto('attempts')
    .values({ key: keyOf(attempt), count: 1, resets_at: now + attempt.windowMs })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          count: sql<number>`case when attempts.resets_at <= ${now} then 1 else attempts.count + 1 end`,
          resets_at: sql<number>`case when attempts.resets_at <= ${now} then ${now + attempt.windowMs} else attempts.resets_at end`,
        })
        .where((e) => e.or([e('attempts.resets_at', '<=', now), e('attempts.count', '<', attempt.limit)])),
    )
    .returning('count')
    .executeTakeFirst();
  // Others took the last ones since the look.
  if (row === undefined) throw tooMany(await resetOf(queries, attempt, now), now);
}

async function resetOf(queries: Queries, attempt: AttemptLimit, now: number): Promise<number> {
  const row = await queries
    .selectFrom('attempts')
    .select('resets_at')
    .where('key', '=', keyOf(attempt))
    .executeTakeFirst();
  return row?.resets_at ?? now + attempt.windowMs;
}

/** Begins anew. */
export async function forgetAttempts(queries: Queries, attempt: AttemptSubject): Promise<void> {
  await queries.deleteFrom('attempts').where('key', '=', keyOf(attempt)).execute();
}

/** Takes one back, since it turned out to be a good one. */
export async function uncountAttempt(queries: Queries, attempt: AttemptSubject): Promise<void> {
  await queries
    .updateTable('attempts')
    .set((e) => ({ count: e('count', '-', 1) }))
    .where('key', '=', keyOf(attempt))
    .where('count', '>', 0)
    .execute();
}

/** Whether `markSubject` still holds. */
export async function isMarked(queries: Queries, subject: AttemptSubject, now: number): Promise<boolean> {
  const row = await queries
    .selectFrom('attempts')
    .select('key')
    .where('key', '=', keyOf(subject))
    .where('resets_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Remembers a subject, as a hash like those that are counted. `until` in milliseconds since the epoch. */
export async function markSubject(queries: Queries, subject: AttemptSubject, until: number): Promise<void> {
  await queries
    .insertInto('attempts')
    .values({ key: keyOf(subject), count: 1, resets_at: until })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ resets_at: until }))
    .execute();
}

function keyOf({ kind, subject }: AttemptSubject): string {
  return `${kind}:${createHash('sha256').update(subject).digest('base64url')}`;
}

function tooMany(resetsAt: number, now: number): RateLimited {
  const retryAfter = Math.max(1, Math.ceil((resetsAt - now) / 1_000));
  const wait = retryAfter > 90 ? `${Math.ceil(retryAfter / 60)} minutes` : `${retryAfter} seconds`;
  return new RateLimited(`Too many attempts: wait ${wait}, then try again.`, { retryAfter });
}
