import { sql } from 'kysely';
import type { Database, Queries } from '../../db/database.ts';
import { announce } from '../../db/dialect.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ClaimedJob } from '../claim/claimed-job.ts';
import { jobsChannel } from '../enqueue.ts';
import { later, queueNow } from '../queue-time.ts';
import type { JobRow } from '../tables.ts';
import { requeue } from './requeue.ts';

/*
 * Every statement here checks the lease token. If it matches no row, another worker has the job, and this worker must
 * no longer change the job or record anything about it.
 */

/** Renews leases until `leaseMs` from now. Returns the tokens that still hold their job and its lane. */
export async function renewLeases(
  database: Database,
  tokens: readonly string[],
  { leaseMs, clock }: { readonly leaseMs: number; readonly clock: Clock },
): Promise<ReadonlySet<string>> {
  return database.transaction(async (tx) => {
    // Read the time while holding the lock, so that waiting for the lock does not shorten the lease.
    const until = later(queueNow(database.dialect, clock), leaseMs);
    const jobs = await tx
      .updateTable('jobs')
      .set({ lease_until: until })
      .where('state', '=', 'running')
      // Always true for a running job. It lets the database use the index of leases.
      .where('lease_until', 'is not', null)
      .where('lease_token', 'in', tokens)
      // Do not renew the job of a run that has lost its lane: the run must end, and its job must not be blocked for
      // another lease.
      .where((e) => e.or([e('lane', 'is', null), laneHeld]))
      .returning(['lease_token', 'lane'])
      .execute();
    const lanes = await tx
      .updateTable('lanes')
      .set({ lease_until: until })
      .where('lease_token', 'in', tokens)
      .returning('lease_token')
      .execute();
    const lanesHeld = new Set(lanes.map((lane) => lane.lease_token));
    const held = jobs.filter((job) => job.lane === null || lanesHeld.has(job.lease_token));
    return new Set(held.flatMap((job) => job.lease_token ?? []));
  });
}

const laneHeld = sql<boolean>`exists (
  select 1 from lanes where lanes.lane = jobs.lane and lanes.lease_token = jobs.lease_token)`;

/**
 * Schedules the job to run again after `delayMs`; without `counts` the run is no attempt. A suspect that ran alone and
 * whose process survived is no longer one, unless a process ended with it before. Returns false if the lease is lost.
 */
export async function retryJob(
  database: Database,
  job: ClaimedJob,
  {
    delayMs,
    lastError,
    counts = true,
    lostAlone = job.lost_alone === 0 ? null : job.lost_alone,
    clock,
  }: {
    readonly delayMs: number;
    readonly lastError: string;
    readonly counts?: boolean;
    readonly lostAlone?: number | null;
    readonly clock: Clock;
  },
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const row = await remove(tx, job);
    if (row === undefined) return false;
    const runAt = later(queueNow(database.dialect, clock), delayMs);
    const attempts = counts ? row.attempts : row.attempts - 1;
    await requeue(tx, row, { runAt, attempts, lastError, lostAlone });
    return true;
  });
}

/**
 * Returns the job to the queue without counting the attempt, for a graceful stop. Returns false if the lease is lost.
 */
export async function releaseJob(database: Database, job: ClaimedJob, clock: Clock): Promise<boolean> {
  return database.transaction(async (tx) => {
    const row = await remove(tx, job);
    if (row === undefined) return false;
    const runAt = queueNow(database.dialect, clock);
    const { attempts, last_error: lastError, lost_alone: lostAlone } = row;
    await requeue(tx, row, { runAt, attempts: attempts - 1, lastError, lostAlone });
    return true;
  });
}

/**
 * Marks the job as dead: it stays in the table for an operator and does not run again. Returns false if the lease is
 * lost.
 */
export async function markDead(
  database: Database,
  job: ClaimedJob,
  lastError: string,
  clock: Clock,
  lostAlone: number | null = null,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const updated = await tx
      .updateTable('jobs')
      .set({
        state: 'dead',
        run_at: queueNow(database.dialect, clock),
        lease_token: null,
        lease_until: null,
        last_error: lastError,
        lost_alone: lostAlone,
      })
      .where('id', '=', job.id)
      .where('lease_token', '=', job.lease_token)
      .returning('id')
      .executeTakeFirst();
    if (updated !== undefined) await releaseLane(tx, job);
    return updated !== undefined;
  });
}

/** Number of processes that may end while a job runs alone in them. Then the job is dead, and a stopper. */
export const maxLostAlone = 2;

/**
 * Records that the process ended in which the job ran alone: the job runs alone once more, and is dead after the second
 * time. `reason` completes "The worker …". Returns the new state, or `lost` if the lease is lost.
 */
export async function recordLostAlone(
  database: Database,
  job: ClaimedJob,
  reason: string,
  clock: Clock,
): Promise<'ready' | 'dead' | 'lost'> {
  const lostAlone = (job.lost_alone ?? 0) + 1;
  const isDead = lostAlone >= maxLostAlone;
  const lastError = isDead
    ? `Stopped its worker twice: it ${reason} while this job ran alone.`
    : `The worker ${reason} while this job ran alone.`;
  const held = isDead
    ? await markDead(database, job, lastError, clock, lostAlone)
    : await retryJob(database, job, { delayMs: 0, lastError, lostAlone, clock });
  if (!held) return 'lost';
  return isDead ? 'dead' : 'ready';
}

async function remove(tx: Queries, job: ClaimedJob): Promise<JobRow | undefined> {
  const row = await tx
    .deleteFrom('jobs')
    .where('id', '=', job.id)
    .where('lease_token', '=', job.lease_token)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await releaseLane(tx, job);
  return row;
}

async function releaseLane(tx: Queries, { lane, lease_token }: ClaimedJob): Promise<void> {
  if (lane === null) return;
  await tx
    .updateTable('lanes')
    .set({ lease_token: null, lease_until: null })
    .where('lane', '=', lane)
    .where('lease_token', '=', lease_token)
    .execute();
  await announce(tx, jobsChannel);
}
