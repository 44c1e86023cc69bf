import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { announce, dialectOf } from '../db/dialect.ts';
import type { JobRow, Tables } from '../db/tables.ts';
import { systemClock } from '../kernel/clock.ts';
import { type JobId, newId } from '../kernel/ids.ts';
import { queueNow } from './queue-time.ts';
import type { Task } from './task.ts';

/** News of jobs that a waiting worker could take. */
export const jobsChannel = 'orgctx_jobs';

export interface EnqueueOptions {
  /** Not before this time, ms since the epoch; at once when absent. */
  readonly runAt?: number;
  /** W3C traceparent of the request. */
  readonly traceContext?: string;
}

/**
 * Adds a job, durable with the transaction it is given. Where a job of the same task and key waits already, that one
 * takes the new payload, the higher priority and the earlier time, and its id is returned; but one that waits after
 * a failure keeps its wait unless `runAt` is given. A running job is never touched: the new one runs after it.
 */
export async function enqueue<Payload>(
  tx: Queries,
  task: Task<Payload>,
  payload: Payload,
  options: EnqueueOptions = {},
): Promise<JobId> {
  const now = queueNow(dialectOf(tx), systemClock);
  const { id } = await tx
    .insertInto('jobs')
    .values({
      ...waiting,
      id: newId<JobId>(),
      task: task.name,
      key: task.key?.(payload) ?? null,
      lane: task.lane?.(payload) ?? null,
      priority: task.priority,
      payload: JSON.stringify(payload),
      run_at: options.runAt ?? now,
      attempts: 0,
      max_attempts: task.maxAttempts,
      last_error: null,
      trace_context: options.traceContext ?? null,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['task', 'key'])
        .where(readyWithKey)
        .doUpdateSet((eb) => ({
          payload: eb.ref('excluded.payload'),
          trace_context: eb.ref('excluded.trace_context'),
          priority: greater(eb, 'priority'),
          run_at: options.runAt === undefined ? earlierUnlessFailed : earlier,
        })),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  await announce(tx, jobsChannel);
  return id as JobId;
}

/** What a job that runs again is put back with. */
export interface Requeue {
  readonly runAt: RawBuilder<number>;
  readonly attempts: number;
  readonly lastError: string | null;
}

/**
 * Puts a job taken out of the table back as a waiting one. A twin that was enqueued in the meantime stands for both:
 * it takes over the wait and the attempts, or else steady edits would keep a failing job alive for ever.
 */
export async function requeue(
  tx: Queries,
  row: JobRow,
  { runAt, attempts, lastError }: Requeue,
): Promise<void> {
  await tx
    .insertInto('jobs')
    .values({ ...row, ...waiting, run_at: runAt, attempts, last_error: lastError })
    .onConflict((conflict) =>
      conflict
        .columns(['task', 'key'])
        .where(readyWithKey)
        .doUpdateSet((eb) => ({
          priority: greater(eb, 'priority'),
          run_at: greater(eb, 'run_at'),
          attempts: greater(eb, 'attempts'),
          last_error: eb.ref('excluded.last_error'),
        })),
    )
    .execute();
  await announce(tx, jobsChannel);
}

const waiting = { state: 'ready', lease_token: null, lease_until: null } as const;

/** Word for word the condition of the unique index: Postgres takes the index only when it can prove the match. */
const readyWithKey = sql<boolean>`state = 'ready' and key is not null`;

const earlier = sql<number>`case when excluded.run_at < jobs.run_at then excluded.run_at else jobs.run_at end`;
const earlierUnlessFailed = sql<number>`case when jobs.attempts > 0 then jobs.run_at else ${earlier} end`;

type Upsert = ExpressionBuilder<Tables & { excluded: JobRow }, 'jobs' | 'excluded'>;

function greater(eb: Upsert, column: 'priority' | 'run_at' | 'attempts') {
  const [mine, theirs] = [eb.ref(`jobs.${column}`), eb.ref(`excluded.${column}`)];
  return eb.case().when(theirs, '>', mine).then(theirs).else(mine).end();
}
