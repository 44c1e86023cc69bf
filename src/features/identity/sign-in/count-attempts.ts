import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Queries } from '../../../foundation/db/database.ts';
import { RateLimited } from '../../../foundation/kernel/errors.ts';

/** The key of a count. All processes of a deployment share the counts. */
export interface AttemptSubject {
  /** Kind of attempt, such as `sign-in-account` or `device-code-network`. */
  readonly kind: string;
  /** An account or an address. It is stored as a hash. */
  readonly subject: string;
}

/** A limit on the number of attempts in a time window. */
export interface AttemptLimit extends AttemptSubject {
  readonly limit: number;
  /** Length of the window, in milliseconds from the first attempt. */
  readonly windowMs: number;
}

/**
 * Counts one attempt towards each of these limits, or towards none if one is exhausted. A read checks the limits first,
 * so that a flood of refused attempts writes nothing and does not wait for the writer.
 * @throws RateLimited for each attempt beyond `limit`, with the seconds until the window ends
 */
export async function countAttempts(
  database: Pick<Database, 'queries' | 'transaction'>,
  attempts: readonly AttemptLimit[],
  now: number,
): Promise<void> {
  await requireUnderLimits(database.queries, attempts, now);
  await database.transaction(async (tx) => {
    for (const attempt of attempts) await countUpToLimit(tx, attempt, now);
  });
}

/** Counts one attempt towards one limit. @throws RateLimited */
export async function countAttempt(queries: Queries, attempt: AttemptLimit, now: number): Promise<void> {
  await requireUnderLimits(queries, [attempt], now);
  await countUpToLimit(queries, attempt, now);
}

async function requireUnderLimits(
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

/** Counts with a single statement, so that concurrent attempts are all counted and none beyond the limit is written. */
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
  // Concurrent attempts have reached the limit since the check.
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

/** Resets a count to zero. */
export async function resetAttempts(queries: Queries, attempt: AttemptSubject): Promise<void> {
  await queries.deleteFrom('attempts').where('key', '=', keyOf(attempt)).execute();
}

/** Subtracts one attempt, because it was successful. */
export async function uncountAttempt(queries: Queries, attempt: AttemptSubject): Promise<void> {
  await queries
    .updateTable('attempts')
    .set((e) => ({ count: e('count', '-', 1) }))
    .where('key', '=', keyOf(attempt))
    .where('count', '>', 0)
    .execute();
}

/** Returns whether the subject is marked by `markSubject` and the mark has not expired. */
export async function isMarked(queries: Queries, subject: AttemptSubject, now: number): Promise<boolean> {
  const row = await queries
    .selectFrom('attempts')
    .select('key')
    .where('key', '=', keyOf(subject))
    .where('resets_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Marks a subject, stored as a hash like a counted one. `until` is in milliseconds since the epoch. */
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
