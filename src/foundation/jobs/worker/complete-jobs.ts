import { type RawBuilder, sql } from 'kysely';
import type { Database, Dialect } from '../../db/database.ts';
import { notification } from '../../db/dialect.ts';
import { givenRows } from '../../db/given-rows.ts';
import type { ClaimedJob } from '../claim/claimed-job.ts';
import { jobsChannel } from '../enqueue.ts';

/** A completed job with the lane to release. `lane` is null if the run still needs the lane. */
export type DoneJob = Pick<ClaimedJob, 'id' | 'lease_token' | 'lane'>;

/**
 * Deletes completed jobs and releases their lanes, in one transaction. Returns the ids of the jobs whose lease was
 * still held; the others are left unchanged.
 */
export async function completeJobs(
  database: Database,
  jobs: readonly DoneJob[],
): Promise<ReadonlySet<string>> {
  const ids = database.dialect === 'postgres' ? onPostgres : onSqlite;
  return new Set(await ids(database, jobs));
}

/**
 * Uses one statement, so that its transaction costs no extra round trip. Sends a notification only if a released lane
 * has ready jobs. The list of ids tells the planner how few rows are affected.
 */
async function onPostgres(database: Database, jobs: readonly DoneJob[]): Promise<readonly string[]> {
  const statement = sql<{ id: string }>`
    with given as (select * from ${doneRows('postgres', jobs)}),
    done as (
      delete from jobs using given
      where jobs.id = any(${jobs.map(({ id }) => id)}::text[]) and jobs.id = given.id and jobs.lease_token = given.token
      returning jobs.id, jobs.lease_token, given.lane
    ),
    freed as (
      update lanes set lease_token = null, lease_until = null
      from (select distinct lane, lease_token from done where lane is not null) as held
      where lanes.lane = held.lane and lanes.lease_token = held.lease_token
      returning lanes.lane
    ),
    notified as (
      select ${notification(jobsChannel)} from freed
      where exists (select from jobs where jobs.state = 'ready' and jobs.lane = freed.lane) limit 1
    )
    select id, (select count(*) from notified) from done`;
  const { rows } = await statement.execute(database.queries);
  return rows.map(({ id }) => id);
}

async function onSqlite(database: Database, jobs: readonly DoneJob[]): Promise<readonly string[]> {
  return database.transaction(async (tx) => {
    const { rows } = await sql<{ id: string }>`
      delete from jobs where (id, lease_token) in (select id, token from ${doneRows('sqlite', jobs)})
      returning id`.execute(tx);
    const done = new Set(rows.map(({ id }) => id));
    const laned = jobs.filter(({ id, lane }) => lane !== null && done.has(id));
    if (laned.length > 0) {
      await sql`
        update lanes set lease_token = null, lease_until = null
        where (lane, lease_token) in (select lane, token from ${doneRows('sqlite', laned)})`.execute(tx);
    }
    return [...done];
  });
}

function doneRows(dialect: Dialect, jobs: readonly DoneJob[]): RawBuilder<unknown> {
  const rows = jobs.map(({ id, lease_token, lane }) => ({ id, token: lease_token, lane }));
  return givenRows(dialect, { id: 'text', token: 'text', lane: 'text' }, rows);
}
