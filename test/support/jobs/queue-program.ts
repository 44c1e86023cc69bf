import { appendFileSync } from 'node:fs';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { enqueue, enqueueAll } from '../../../src/foundation/jobs/enqueue.ts';
import { discardJobs, retryDeadJobs } from '../../../src/foundation/jobs/inspect/retry-jobs.ts';
import { markDead, releaseJob, renewLeases, retryJob } from '../../../src/foundation/jobs/lease/lease.ts';
import { reapExpiredLeases } from '../../../src/foundation/jobs/lease/reap.ts';
import { enqueueSchedules } from '../../../src/foundation/jobs/schedule/enqueue-schedules.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { startCounting } from '../kill/kill-at-write.ts';
import { silentLog } from '../silent-log.ts';
import { brief, claim, claimed, completeJob, daily, ended, keyed, laned } from './queue.ts';

/**
 * Runs jobs through every step of the queue; the test kills it at each of its writes (`kill-at-write.ts`). Before a
 * step it records the state that the step gives the job, and after the step that it was confirmed:
 *
 *     {"job":"a","state":"ready"}
 *     {"job":"a","state":"ready","confirmed":true}
 *
 * Arguments: database options as JSON, journal file.
 */
const [, , options = '', journal = ''] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const { queries } = database;
const clock = systemClock;

/** `due`: a time of a schedule has passed and is not enqueued yet. */
type State = 'ready' | 'running' | 'dead' | 'gone' | 'due';

async function step<Result>(
  jobs: Readonly<Record<string, State>>,
  work: () => Promise<Result>,
): Promise<Result> {
  const record = (extra: object): void => {
    for (const [job, state] of Object.entries(jobs)) {
      appendFileSync(journal, `${JSON.stringify({ job, state, ...extra })}\n`);
    }
  };
  record({});
  const result = await work();
  record({ confirmed: true });
  return result;
}

const shortClaim = { ...claim, leaseMs: 1 };
const running = (job: string, how = shortClaim) => step({ [job]: 'running' }, () => claimed(database, how));

async function finish(job: string): Promise<void> {
  const held = await running(job);
  await step({ [job]: 'gone' }, () => completeJob(database, held));
}

startCounting();

// Normal completion.
await step({ a1: 'ready' }, () => enqueue(queries, laned, { id: 'a1' }));
const a1 = await running('a1');
await step({ a1: 'running' }, () => renewLeases(database, [a1.lease_token], shortClaim));
await step({ a1: 'gone' }, () => completeJob(database, a1));

// Several jobs in one transaction.
await step({ b1: 'ready', b2: 'ready' }, () =>
  database.transaction((tx) => enqueueAll(tx, laned, [{ id: 'b1' }, { id: 'b2' }])),
);
await finish('b1');
await finish('b2');

// A failure, then an edit while it runs again, then a failure that the edit supersedes.
await step({ c: 'ready' }, () => enqueue(queries, keyed, { id: 'c' }));
const c = await running('c');
await step({ c: 'ready' }, () => retryJob(database, c, { delayMs: 0, lastError: 'failed', clock }));
const again = await running('c');
await step({ c: 'ready' }, () => enqueue(queries, keyed, { id: 'c' }));
await step({ c: 'ready' }, () => retryJob(database, again, { delayMs: 0, lastError: 'failed', clock }));
await finish('c');

// Released, dead, retried, dead again, discarded.
const dId = await step({ d: 'ready' }, () => enqueue(queries, laned, { id: 'd' }));
const d = await running('d');
await step({ d: 'ready' }, () => releaseJob(database, d, clock));
const dAgain = await running('d');
await step({ d: 'dead' }, () => markDead(database, dAgain, 'dead', clock));
await step({ d: 'ready' }, () => retryDeadJobs(database, [dId]));
const dLast = await running('d');
await step({ d: 'dead' }, () => markDead(database, dLast, 'dead', clock));
await step({ d: 'gone' }, () => discardJobs(database, [dId]));

// Three lost leases: the first makes the job a suspect and is no attempt, the third was the last attempt.
await step({ e: 'ready' }, () => enqueue(queries, brief, { id: 'e' }));
await running('e', ended);
await step({ e: 'ready' }, () => reapExpiredLeases(database, clock));
await running('e', ended);
await step({ e: 'ready' }, () => reapExpiredLeases(database, clock));
await running('e', ended);
await step({ e: 'dead' }, () => reapExpiredLeases(database, clock));

// A scheduled time.
await enqueueSchedules(database, [daily], clock);
await step({ daily: 'due' }, () =>
  queries
    .updateTable('schedules')
    .set({ last_slot: Date.now() - 2 * 86_400_000 })
    .execute(),
);
await step({ daily: 'ready' }, () => enqueueSchedules(database, [daily], clock));
await finish('daily');

await database.close();
