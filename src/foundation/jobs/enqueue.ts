import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { dialectOf, notification } from '../db/dialect.ts';
import { givenRows } from '../db/given-rows.ts';
import { systemClock } from '../kernel/clock.ts';
import { type JobId, newId } from '../kernel/ids.ts';
import { compareText } from '../kernel/text/compare-text.ts';
import { currentTraceparent } from '../telemetry/trace-context.ts';
import { queueNow } from './queue-time.ts';
import type { Task } from './task.ts';

/** Notification channel for jobs that an idle worker can claim. */
export const jobsChannel = 'orgctx_jobs';

export interface EnqueueOptions {
  /** Earliest time of the run, in milliseconds since the epoch. Default: now. */
  readonly runAt?: number;
  /** W3C traceparent that the job runs under. Default: the current one. */
  readonly traceContext?: string;
}

interface EnqueueAllOptions<Payload> extends Omit<EnqueueOptions, 'traceContext'> {
  /** One traceparent per payload; `undefined` for a payload without a trace. Default: the current one for all. */
  readonly traceContexts?: readonly (string | undefined)[];
  /** Default: that of the task. */
  readonly priorityOf?: (payload: Payload) => number;
}

/**
 * Adds a job in the given transaction. If a job with the same task and key is already pending, that job receives the
 * new payload, the higher priority and the earlier time, and its id is returned; after a failure, it keeps its
 * back-off unless `runAt` is given. A running job is never changed: the new job runs after it. A job whose predecessor
 * is a dead suspect runs alone.
 */
export async function enqueue<Payload>(
  tx: Queries,
  task: Task<Payload>,
  payload: Payload,
  options: EnqueueOptions = {},
): Promise<JobId> {
  const { traceContext = currentTraceparent(), ...when } = options;
  const [id] = await enqueueAll(tx, task, [payload], { ...when, traceContexts: [traceContext] });
  if (id === undefined) throw new Error('The insert returned neither a new job nor an existing one.');
  return id;
}

/**
 * Adds jobs of one task in one statement, with the semantics of `enqueue`. They run in the given order. Of several
 * payloads with the same key, the last one is kept. Returns the id of each payload's job, in the order of the
 * payloads.
 */
export async function enqueueAll<Payload>(
  tx: Queries,
  task: Task<Payload>,
  payloads: readonly Payload[],
  options: EnqueueAllOptions<Payload> = {},
): Promise<readonly JobId[]> {
  if (payloads.length === 0) return [];
  const current = currentTraceparent();
  const { traceContexts = payloads.map(() => current), priorityOf = () => task.priority, runAt } = options;
  const jobs = newJobs(task, payloads, { traceContexts, priorityOf });
  const { rows } = await insertion(tx, task, onePerKey(jobs), runAt).execute(tx);
  const idOfKey = new Map(rows.map(({ key, id }) => [key, id]));
  return jobs.map(({ id, key }) => (key === null ? id : (idOfKey.get(key) ?? id)));
}

interface NewJob {
  readonly id: JobId;
  readonly key: string | null;
  readonly lane: string | null;
  readonly payload: string;
  readonly priority: number;
  readonly traceContext: string | null;
}

function newJobs<Payload>(
  task: Task<Payload>,
  payloads: readonly Payload[],
  { traceContexts, priorityOf }: Required<Pick<EnqueueAllOptions<Payload>, 'traceContexts' | 'priorityOf'>>,
): readonly NewJob[] {
  // Ids created in the same millisecond are not ordered, and the id is the tie-breaker among jobs that are due
  // together.
  const ids = payloads.map(() => newId<JobId>()).toSorted();
  return payloads.map((payload, index) => ({
    id: ids[index] ?? newId<JobId>(),
    key: task.key?.(payload) ?? null,
    lane: task.lane?.(payload) ?? null,
    payload: JSON.stringify(payload),
    priority: priorityOf(payload),
    traceContext: traceContexts[index] ?? null,
  }));
}

/**
 * Keeps the last job of each key, because a statement can change a row only once. Sorts them by key, so that two
 * transactions cannot deadlock.
 */
function onePerKey(jobs: readonly NewJob[]): readonly NewJob[] {
  const latest = new Map(jobs.map((job) => [job.key ?? job, job]));
  if (latest.size === 1) return [...latest.values()];
  return [...latest.values()].toSorted((a, b) => compareText(a.key ?? '', b.key ?? ''));
}

/**
 * Builds the statement that inserts the jobs. Its text depends only on the dialect, not on the number of jobs. On
 * Postgres it also sends the notification, which saves a round trip.
 */
function insertion<Payload>(
  tx: Queries,
  task: Task<Payload>,
  jobs: readonly NewJob[],
  runAt: number | undefined,
): RawBuilder<{ id: JobId; key: string | null }> {
  const dialect = dialectOf(tx);
  const now = queueNow(dialect, systemClock);
  return sql`
    insert into jobs (id, task, key, lane, priority, payload, state, run_at, attempts, max_attempts, trace_context, lost_alone,
      created_at)
    select given.id, cast(${task.name} as text), given.key, given.lane, cast(given.priority as integer), given.payload,
      'ready', cast(${runAt ?? now} as bigint), 0, cast(${task.maxAttempts} as integer),
      given."traceContext",
      case when exists (
        select 1 from jobs as dead
        where dead.task = ${task.name} and dead.key = given.key and dead.state = 'dead' and dead.lost_alone is not null
      ) then 0 end,
      ${now}
    from ${givenRows(dialect, givenColumns, jobs)} where true
    on conflict (task, key) where ${readyWithKey} do update set
      payload = excluded.payload,
      trace_context = excluded.trace_context,
      priority = case when excluded.priority > jobs.priority then excluded.priority else jobs.priority end,
      run_at = ${runAt === undefined ? earlierUnlessFailed : earlier}
    returning id, key${dialect === 'postgres' ? sql`, ${notification(jobsChannel)}` : sql``}`;
}

const givenColumns = {
  id: 'text',
  key: 'text',
  lane: 'text',
  payload: 'text',
  priority: 'bigint',
  traceContext: 'text',
} as const;

/**
 * The condition of the partial unique index, word for word: Postgres uses the index only if it can prove the match.
 */
export const readyWithKey = sql<boolean>`state = 'ready' and key is not null`;

const earlier = sql<number>`case when excluded.run_at < jobs.run_at then excluded.run_at else jobs.run_at end`;
const earlierUnlessFailed = sql<number>`case when jobs.attempts > 0 then jobs.run_at else ${earlier} end`;
