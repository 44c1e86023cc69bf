import type { Database, Queries } from '../../db/database.ts';
import { announce, dialectOf, forUpdate } from '../../db/dialect.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { jobsChannel, readyWithKey } from '../enqueue.ts';
import { queueNow } from '../queue-time.ts';
import type { JobRow } from '../tables.ts';
import type { Task } from '../task.ts';

/** Records a change of jobs, in the transaction of the change. */
export type RecordJobs = (
  tx: Queries,
  jobs: readonly Pick<JobRow, 'id' | 'task' | 'payload'>[],
) => Promise<void>;

const recordNothing: RecordJobs = async () => undefined;

/** The result of retrying dead jobs. */
export interface RetryResult {
  /** Ids of jobs that are ready again, due at once, with no attempts counted. */
  readonly retried: readonly string[];
  /**
   * Ids of jobs that were removed, because a job with the same task and key is already ready. That job is now due at
   * once.
   */
  readonly replaced: readonly string[];
}

/**
 * Makes dead jobs ready again, all of them or none. @throws NotFound for an unknown id, Conflict for a job that is
 * not dead.
 */
export async function retryDeadJobs(
  database: Database,
  ids: readonly string[],
  record: RecordJobs = recordNothing,
): Promise<RetryResult> {
  return database.transaction(async (tx) => {
    const rows = await lockJobs(tx, ids);
    for (const { id, state } of rows) if (state !== 'dead') throw notDead(id, state);
    await record(tx, rows);
    return makeReady(tx, rows);
  });
}

/**
 * Deletes jobs from the queue, all of them or none. @throws NotFound for an unknown id, Conflict for a running job.
 */
export async function discardJobs(
  database: Database,
  ids: readonly string[],
  record: RecordJobs = recordNothing,
): Promise<void> {
  await database.transaction(async (tx) => {
    const rows = await lockJobs(tx, ids);
    for (const { id, state } of rows) if (state === 'running') throw stillRunning(id);
    await record(tx, rows);
    await remove(tx, rows);
  });
}

/** Maximum number of jobs in one transaction. */
const sliceLength = 200;

/**
 * Makes every dead job (of one task) ready again. Yields the result of each transaction, so that a caller can show
 * progress.
 */
export async function* retryAllDeadJobs(
  database: Database,
  task?: string,
  record: RecordJobs = recordNothing,
): AsyncGenerator<RetryResult> {
  yield* eachDeadSlice(database, task, async (tx, rows) => {
    await record(tx, rows);
    return makeReady(tx, rows);
  });
}

/** Deletes every dead job (of one task) from the queue. Yields the ids that each transaction deleted. */
export async function* discardAllDeadJobs(
  database: Database,
  task?: string,
  record: RecordJobs = recordNothing,
): AsyncGenerator<readonly string[]> {
  yield* eachDeadSlice(database, task, async (tx, rows) => {
    await record(tx, rows);
    return remove(tx, rows);
  });
}

/** Deletes the dead jobs of a task and key, once a later job has done their work or has failed as well. */
export async function deleteDeadJobs(tx: Queries, { name }: Pick<Task, 'name'>, key: string): Promise<void> {
  await tx
    .deleteFrom('jobs')
    .where('state', '=', 'dead')
    .where('task', '=', name)
    .where('key', '=', key)
    .execute();
}

/**
 * Applies `change` to all dead jobs in slices, newest first by id, so that a job that dies again meanwhile is not
 * processed twice.
 */
async function* eachDeadSlice<Result>(
  database: Database,
  task: string | undefined,
  change: (tx: Queries, rows: readonly JobRow[]) => Promise<Result>,
): AsyncGenerator<Result> {
  let before: string | undefined;
  do {
    const slice = await database.transaction(async (tx) => {
      const rows = await lockDead(tx, task, before);
      return { last: rows.at(-1)?.id, result: rows.length > 0 ? await change(tx, rows) : undefined };
    });
    if (slice.result !== undefined) yield slice.result;
    before = slice.last;
  } while (before !== undefined);
}

async function lockDead(tx: Queries, task: string | undefined, before: string | undefined) {
  let query = tx.selectFrom('jobs').selectAll().where('state', '=', 'dead');
  if (task !== undefined) query = query.where('task', '=', task);
  if (before !== undefined) query = query.where('id', '<', before);
  query = query.orderBy('id', 'desc').limit(sliceLength);
  return forUpdate(tx, query).execute();
}

/** Locks and returns the jobs, newest first. @throws NotFound for an unknown id. */
async function lockJobs(tx: Queries, ids: readonly string[]): Promise<readonly JobRow[]> {
  const known = ids.filter(isUuid);
  const query = tx.selectFrom('jobs').selectAll().where('id', 'in', known).orderBy('id', 'desc');
  const rows = known.length === 0 ? [] : await forUpdate(tx, query).execute();
  const found = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) {
    throw new NotFound(
      `There is no job ${missing}: it is done or was discarded. Run "orgctx jobs list --state all" to see all jobs.`,
    );
  }
  return rows;
}

/** A suspect runs alone, also when an operator retries it. */
function alone({ lost_alone }: JobRow): Pick<JobRow, 'lost_alone'> {
  return { lost_alone: lost_alone === null ? null : 0 };
}

/**
 * Makes dead jobs ready again. Of two dead jobs with the same key, the first in `rows` is retried and the other is
 * removed.
 */
async function makeReady(tx: Queries, rows: readonly JobRow[]): Promise<RetryResult> {
  const now = queueNow(dialectOf(tx), systemClock);
  const retried: string[] = [];
  const replaced: string[] = [];
  await remove(tx, rows);
  for (const row of rows) {
    const inserted = await tx
      .insertInto('jobs')
      .values({ ...row, state: 'ready', run_at: now, attempts: 0, last_error: null, ...alone(row) })
      .onConflict((conflict) =>
        // An operator who retries has fixed the cause, so the job that replaces this one need not wait for its
        // back-off.
        conflict.columns(['task', 'key']).where(readyWithKey).doUpdateSet({ run_at: now }),
      )
      .returning('id')
      .executeTakeFirstOrThrow();
    (inserted.id === row.id ? retried : replaced).push(row.id);
  }
  await announce(tx, jobsChannel);
  return { retried, replaced };
}

async function remove(tx: Queries, rows: readonly JobRow[]): Promise<readonly string[]> {
  const ids = rows.map(({ id }) => id);
  await tx.deleteFrom('jobs').where('id', 'in', ids).execute();
  return ids;
}

function notDead(id: string, state: string): Conflict {
  const what = state === 'running' ? 'is running' : 'is ready and will run without a retry';
  return new Conflict('conflict', `The job ${id} is not dead: it ${what}. Nothing was changed.`);
}

function stillRunning(id: string): Conflict {
  return new Conflict(
    'conflict',
    `The job ${id} is running: its worker may be writing, and would not stop. Wait until the job has ended, ` +
      'or stop the worker and try again. Nothing was changed.',
  );
}
