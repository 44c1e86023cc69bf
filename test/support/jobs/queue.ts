import { z } from 'zod';
import type { Database, Queries } from '../../../src/foundation/db/database.ts';
import { claimJobs } from '../../../src/foundation/jobs/claim/claim.ts';
import type { Claim, ClaimedJob } from '../../../src/foundation/jobs/claim/claimed-job.ts';
import { defineSchedule } from '../../../src/foundation/jobs/schedule/schedule.ts';
import type { JobRow } from '../../../src/foundation/jobs/tables.ts';
import { defineTask } from '../../../src/foundation/jobs/task.ts';
import { completeJobs } from '../../../src/foundation/jobs/worker/complete-jobs.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';

const payload = z.object({ id: z.string() });
export const plain = defineTask({ name: 'plain', payload });
export const keyed = defineTask({ name: 'keyed', payload, key: ({ id }) => id });
export const urgent = defineTask({ name: 'urgent', payload, priority: 10 });
export const laned = defineTask({ name: 'laned', payload, lane: ({ id }) => id.slice(0, 1) });
export const brief = defineTask({ name: 'brief', payload, maxAttempts: 2 });
export const daily = defineSchedule({
  name: 'daily',
  cron: '0 0 * * *',
  task: plain,
  payload: { id: 'daily' },
});

export const claim = {
  tasks: ['plain', 'keyed', 'urgent', 'laned', 'brief'],
  leaseMs: 30_000,
  clock: systemClock,
};
/** A claim whose lease has already expired. */
export const ended = { ...claim, leaseMs: -1 };

export async function jobs(queries: Queries): Promise<JobRow[]> {
  return queries.selectFrom('jobs').selectAll().orderBy('id').execute();
}

export async function claimJob(database: Database, options: Claim = claim): Promise<ClaimedJob | undefined> {
  const [leased] = await claimJobs(database, options, 1);
  return leased?.[0];
}

/** Completes a job; returns false when its lease was lost. */
export async function completeJob(database: Database, job: ClaimedJob): Promise<boolean> {
  return (await completeJobs(database, [job])).has(job.id);
}

export async function claimed(database: Database, options: Claim = claim): Promise<ClaimedJob> {
  const job = await claimJob(database, options);
  if (job === undefined) throw new Error('there was no job to claim');
  return job;
}
