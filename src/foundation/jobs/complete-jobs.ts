import { type RawBuilder, sql } from 'kysely';
import type { Database, Dialect } from '../db/database.ts';
import { notification } from '../db/dialect.ts';
import { givenRows } from '../db/given-rows.ts';
import type { ClaimedJob } from './claimed-job.ts';
import { jobsChannel } from './enqueue.ts';

/** Jobs that are done, with the lanes to be released; a job whose lane its run still needs names none. */
export type DoneJob = Pick<ClaimedJob, 'id' | 'lease_token' | 'lane'>;

/**
 * Jobs that are done leave the table and their lanes are free, in one transaction. Returns the ids of those whose
 * lease was still held; about the others nothing is said.
 */
export async function completeJobs(
  database: Database,
  jobs: readonly DoneJob[],
): Promise<ReadonlySet<string>> {
  const ids = database.dialect === 'postgres' ? onPostgres : onSqlite;
  return new Set(await ids(database, jobs));
}

/**
 * One statement, so that its transaction costs no round trip of its own. Only a lane with work left is news. The list of
 * ids tells the planner how few rows it is about.
 */
async function onPostgres(database: Database, jobs: readonly DoneJob[]): Promise<readonly string[]> {
  const statement = sql<{ id: string }>`
    with said as (select * from ${said('postgres', jobs)}),
    done as (
      delete from jobs using said
      where jobs.id = any(${jobs.map(({ id }) => id)}::text[]) and jobs.id = said.id and jobs.lease_token = said.token
      returning jobs.id, jobs.lease_token, said.lane
    ),
    freed as (
      update lanes set lease_token = null, lease_until = null
      from (select distinct lane, lease_token from done where lane is not null) as held
      where lanes.lane = held.lane and lanes.lease_token = held.lease_token
      returning lanes.lane
    ),
    news as (
      select ${notification(jobsChannel)} from freed
      where exists (select from jobs where jobs.state = 'ready' and jobs.lane = freed.lane) limit 1
    )
    select id, (select count(*) from news) from done`;
  const { rows } = await statement.execute(database.queries);
  return rows.map(({ id }) => id);
}

async function onSqlite(database: Database, jobs: readonly DoneJob[]): Promise<readonly string[]> {
  return database.transaction(async (tx) => {
    const { rows } = await sql<{ id: string }>`
      delete from jobs where (id, lease_token) in (select id, token from ${said('sqlite', jobs)})
      returning id`.execute(tx);
    const done = new Set(rows.map(({ id }) => id));
    const laned = jobs.filter(({ id, lane }) => lane !== null && done.has(id));
    if (laned.length > 0) {
      await sql`
        update lanes set lease_token = null, lease_until = null
        where (lane, lease_token) in (select lane, token from ${said('sqlite', laned)})`.execute(tx);
    }
    return [...done];
  });
}

function said(dialect: Dialect, jobs: readonly DoneJob[]): RawBuilder<unknown> {
  const rows = jobs.map(({ id, lease_token, lane }) => ({ id, token: lease_token, lane }));
  return givenRows(dialect, { id: 'text', token: 'text', lane: 'text' }, rows);
}
