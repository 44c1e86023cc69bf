import { sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { announce } from '../db/dialect.ts';
import type { JobRow } from '../db/tables.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ClaimedJob } from './claimed-job.ts';
import { jobsChannel } from './enqueue.ts';
import { later, queueNow } from './queue-time.ts';
import { requeue } from './requeue.ts';

/*
 * Every statement here names the lease token: when it finds no row, another worker has the job, and nothing may
 * be said or done about it any more.
 */

/** Prolongs leases by `leaseMs` from now and returns the tokens that still hold their job and its lane. */
export async function renewLeases(
  database: Database,
  tokens: readonly string[],
  { leaseMs, clock }: { readonly leaseMs: number; readonly clock: Clock },
): Promise<ReadonlySet<string>> {
  return database.transaction(async (tx) => {
    // Asked with the lock in hand: waiting for it must not eat the lease.
    const until = later(queueNow(database.dialect, clock), leaseMs);
    const jobs = await tx
      .updateTable('jobs')
      .set({ lease_until: until })
      .where('state', '=', 'running')
      // Always so of a running job; with it the index of leases serves.
      .where('lease_until', 'is not', null)
      .where('lease_token', 'in', tokens)
      // A run that has lost its lane is to end: its job shall not stand still for another lease.
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

/** The job runs again after `delayMs`. False when the lease is lost. */
export async function retryJob(
  database: Database,
  job: ClaimedJob,
  {
    delayMs,
    lastError,
    clock,
  }: { readonly delayMs: number; readonly lastError: string; readonly clock: Clock },
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const row = await remove(tx, job);
    if (row === undefined) return false;
    const runAt = later(queueNow(database.dialect, clock), delayMs);
    await requeue(tx, row, { runAt, attempts: row.attempts, lastError });
    return true;
  });
}

/** The job goes back as if it had not been claimed: an orderly stop costs no attempt. False when the lease is lost. */
export async function giveBackJob(database: Database, job: ClaimedJob, clock: Clock): Promise<boolean> {
  return database.transaction(async (tx) => {
    const row = await remove(tx, job);
    if (row === undefined) return false;
    const runAt = queueNow(database.dialect, clock);
    await requeue(tx, row, { runAt, attempts: row.attempts - 1, lastError: row.last_error });
    return true;
  });
}

/** The job stays in the table for an operator and runs no more. False when the lease is lost. */
export async function buryJob(database: Database, job: ClaimedJob, lastError: string): Promise<boolean> {
  return database.transaction(async (tx) => {
    const buried = await tx
      .updateTable('jobs')
      .set({ state: 'dead', lease_token: null, lease_until: null, last_error: lastError })
      .where('id', '=', job.id)
      .where('lease_token', '=', job.lease_token)
      .returning('id')
      .executeTakeFirst();
    if (buried !== undefined) await releaseLane(tx, job);
    return buried !== undefined;
  });
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
