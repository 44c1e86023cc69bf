import type { Database, Queries } from '../db/database.ts';
import { announce, dialectOf, forUpdate } from '../db/dialect.ts';
import type { JobRow } from '../db/tables.ts';
import { systemClock } from '../kernel/clock.ts';
import { Conflict, NotFound } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
import { jobsChannel, readyWithKey } from './enqueue.ts';
import { queueNow } from './queue-time.ts';
import type { Task } from './task.ts';

/** What a retry made of dead jobs. */
export interface Retried {
  /** They wait again, due at once and with all their attempts before them. */
  readonly retried: readonly string[];
  /** A job of the same task and key waits already and stands for these; it is due at once now. */
  readonly gaveWay: readonly string[];
}

/**
 * Lets dead jobs run again, all of them or none. @throws NotFound for an unknown id, Conflict for a job that is
 * not dead.
 */
export async function retryDeadJobs(database: Database, ids: readonly string[]): Promise<Retried> {
  return database.transaction(async (tx) => {
    const rows = await lockJobs(tx, ids);
    for (const { id, state } of rows) if (state !== 'dead') throw notDead(id, state);
    return revive(tx, rows);
  });
}

/** Takes jobs out of the queue for good, all of them or none. @throws NotFound, Conflict for a running one. */
export async function discardJobs(database: Database, ids: readonly string[]): Promise<void> {
  await database.transaction(async (tx) => {
    const rows = await lockJobs(tx, ids);
    for (const { id, state } of rows) if (state === 'running') throw stillRunning(id);
    await remove(tx, rows);
  });
}

/** In one transaction. */
const sliceLength = 200;

/** Lets every dead job (of one task) run again. Yields what each transaction did, so that a long list can be followed. */
export async function* retryAllDeadJobs(database: Database, task?: string): AsyncGenerator<Retried> {
  yield* eachDeadSlice(database, task, revive);
}

/** Takes every dead job (of one task) out of the queue for good. Yields the ids that each transaction removed. */
export async function* discardAllDeadJobs(
  database: Database,
  task?: string,
): AsyncGenerator<readonly string[]> {
  yield* eachDeadSlice(database, task, remove);
}

/** Takes dead jobs of a task and key out of the table, once a later one has done their work or failed in their place. */
export async function forgetDeadJobs(tx: Queries, { name }: Pick<Task, 'name'>, key: string): Promise<void> {
  await tx
    .deleteFrom('jobs')
    .where('state', '=', 'dead')
    .where('task', '=', name)
    .where('key', '=', key)
    .execute();
}

/** Newest first, by id: one that dies again in the meantime is not met a second time. */
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

/** Newest first. */
async function lockJobs(tx: Queries, ids: readonly string[]): Promise<readonly JobRow[]> {
  const known = ids.filter(isUuid);
  const query = tx.selectFrom('jobs').selectAll().where('id', 'in', known).orderBy('id', 'desc');
  const rows = known.length === 0 ? [] : await forUpdate(tx, query).execute();
  const found = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) {
    throw new NotFound(
      `There is no job ${missing}: it is done, or was discarded. See: orgctx jobs list --state all`,
    );
  }
  return rows;
}

/** Of two dead ones with the same key the first of `rows` waits and the other gives way. */
async function revive(tx: Queries, rows: readonly JobRow[]): Promise<Retried> {
  const now = queueNow(dialectOf(tx), systemClock);
  const retried: string[] = [];
  const gaveWay: string[] = [];
  await remove(tx, rows);
  for (const row of rows) {
    const revived = await tx
      .insertInto('jobs')
      .values({ ...row, state: 'ready', run_at: now, attempts: 0, last_error: null })
      .onConflict((conflict) =>
        // Whoever retries has mended the cause: the one that stands for it has nothing to wait for any more.
        conflict.columns(['task', 'key']).where(readyWithKey).doUpdateSet({ run_at: now }),
      )
      .returning('id')
      .executeTakeFirstOrThrow();
    (revived.id === row.id ? retried : gaveWay).push(row.id);
  }
  await announce(tx, jobsChannel);
  return { retried, gaveWay };
}

async function remove(tx: Queries, rows: readonly JobRow[]): Promise<readonly string[]> {
  const ids = rows.map(({ id }) => id);
  await tx.deleteFrom('jobs').where('id', 'in', ids).execute();
  return ids;
}

function notDead(id: string, state: string): Conflict {
  const what =
    state === 'running' ? 'runs at this moment' : 'waits for its turn and needs no retry: it runs by itself';
  return new Conflict('conflict', `The job ${id} is not dead: it ${what}. Nothing was changed.`);
}

function stillRunning(id: string): Conflict {
  return new Conflict(
    'conflict',
    `The job ${id} runs at this moment: its worker may be writing, and would go on without it. Wait until it has ended, ` +
      'or stop the worker and try again. Nothing was changed.',
  );
}
