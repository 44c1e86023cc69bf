import { expect, it } from 'vitest';
import { claimJobs } from '../../../src/foundation/jobs/claim/claim.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { handle, handleBatch } from '../../../src/foundation/jobs/handler.ts';
import { hasStopper, keyedJobs } from '../../../src/foundation/jobs/inspect/keyed-jobs.ts';
import { listStoppers } from '../../../src/foundation/jobs/inspect/list-stoppers.ts';
import { retryDeadJobs } from '../../../src/foundation/jobs/inspect/retry-jobs.ts';
import { markDead, recordLostAlone, releaseJob, retryJob } from '../../../src/foundation/jobs/lease/lease.ts';
import { reapExpiredLeases } from '../../../src/foundation/jobs/lease/reap.ts';
import { completeJobs } from '../../../src/foundation/jobs/worker/complete-jobs.ts';
import { runJobs } from '../../../src/foundation/jobs/worker/run-jobs.ts';
import type { AloneEnd } from '../../../src/foundation/jobs/worker/run-suspect.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock as clock } from '../../../src/foundation/kernel/clock.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { claim, claimed, ended, jobs, keyed, laned } from '../../support/jobs/queue.ts';
import { silentLog } from '../../support/silent-log.ts';

describeEachDatabase('a suspect', (open) => {
  const without = { ...claim, suspects: 'without' as const };
  const only = { ...claim, suspects: 'only' as const };
  /** Enqueues a job whose worker is lost while it runs. */
  const suspect = async (database: Awaited<ReturnType<typeof open>>): Promise<string> => {
    const enqueued = await enqueue(database.queries, keyed, { id: 'a' });
    await claimed(database, ended);
    await reapExpiredLeases(database, clock);
    return enqueued;
  };

  it('is every job of a lost worker, without a counted attempt', async () => {
    const database = await open();
    await suspect(database);
    expect(await jobs(database.queries)).toMatchObject([{ state: 'ready', attempts: 0, lost_alone: 0 }]);
  });

  it('is claimed alone, and other jobs without it, also in its lane and in batches', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' });
    await claimed(database, ended);
    await reapExpiredLeases(database, clock);
    await enqueue(database.queries, laned, { id: 'a2' });
    await enqueue(database.queries, laned, { id: 'a3' });
    const batches = new Map([['laned', 10]]);
    const [beside] = await claimJobs(database, { ...without, batches }, 5);
    expect(beside?.map(({ payload }) => JSON.parse(payload).id)).toEqual(['a2', 'a3']);
    expect(await claimJobs(database, only, 5)).toEqual([]);
    await completeJobs(database, beside ?? []);
    const alone = await claimJobs(database, only, 5);
    expect(alone.flat()).toMatchObject([{ lost_alone: 0 }]);
  });

  it('is dead after two processes that ended while it ran alone, with the reason', async () => {
    const database = await open();
    await suspect(database);
    expect(await recordLostAlone(database, await claimed(database, only), 'ended', clock)).toBe('ready');
    expect(await recordLostAlone(database, await claimed(database, only), 'ended', clock)).toBe('dead');
    const reason = 'Stopped its worker twice: it ended while this job ran alone.';
    expect(await jobs(database.queries)).toMatchObject([
      { state: 'dead', lost_alone: 2, last_error: reason },
    ]);
    expect(await listStoppers(database.queries, 5)).toMatchObject([{ task: 'keyed', key: 'a' }]);
    expect(await keyedJobs(database.queries, [keyed], 'a')).toMatchObject({ stopReason: reason });
  });

  it('is no stopper when it is dead because its leases expired', async () => {
    const database = await open();
    await suspect(database);
    await database.queries
      .updateTable('jobs')
      .set({ attempts: keyed.maxAttempts - 1 })
      .execute();
    await claimed(database, { ...ended, suspects: 'only' });
    await reapExpiredLeases(database, clock);
    expect(await jobs(database.queries)).toMatchObject([{ state: 'dead', lost_alone: 0 }]);
    expect(await listStoppers(database.queries, 5)).toEqual([]);
    expect(await keyedJobs(database.queries, [keyed], 'a')).toMatchObject({
      deadAfter: keyed.maxAttempts,
      stopReason: undefined,
    });
    expect(await hasStopper(database.queries, keyed, 'a')).toBe(false);
  });

  it('stays one when its process is stopped, and is none after an error that its process survived', async () => {
    const database = await open();
    await suspect(database);
    const suspicion = async () => (await jobs(database.queries)).map(({ lost_alone }) => lost_alone);
    await releaseJob(database, await claimed(database, only), clock);
    expect(await suspicion()).toEqual([0]);
    const failure = { delayMs: 0, lastError: 'x', clock };
    await retryJob(database, await claimed(database, only), failure);
    expect(await suspicion()).toEqual([null]);
    await claimed(database, ended);
    await reapExpiredLeases(database, clock);
    await recordLostAlone(database, await claimed(database, only), 'ended', clock);
    await retryJob(database, await claimed(database, only), failure);
    expect(await suspicion()).toEqual([1]);
    await markDead(database, await claimed(database, only), 'x', clock);
    expect(await suspicion()).toEqual([null]);
  });

  it('that is dead makes the next job of its key one, and is removed when that job ends well', async () => {
    const database = await open();
    const id = await suspect(database);
    await database.queries
      .updateTable('jobs')
      .set({ state: 'dead', lost_alone: 2 })
      .where('id', '=', id)
      .execute();
    await enqueue(database.queries, keyed, { id: 'a' });
    await enqueue(database.queries, keyed, { id: 'b' });
    const next = (await jobs(database.queries)).filter(({ state }) => state === 'ready');
    expect(next.map(({ key, lost_alone }) => [key, lost_alone])).toEqual([
      ['a', 0],
      ['b', null],
    ]);
    const [leased] = await claimJobs(database, only, 5);
    if (leased === undefined) throw new Error('the suspect was not claimed');
    const complete = (done: Parameters<typeof completeJobs>[1]) => completeJobs(database, done);
    const deps = { database, clock, log: silentLog, complete };
    const { signal } = new AbortController();
    await runJobs(deps, { bound: handle(keyed, async () => {}), jobs: leased, signal });
    expect((await jobs(database.queries)).map(({ key }) => key)).toEqual(['b']);
  });

  it('runs alone when an operator retries it', async () => {
    const database = await open();
    const id = await suspect(database);
    await database.queries.updateTable('jobs').set({ state: 'dead', lost_alone: 2 }).execute();
    await retryDeadJobs(database, [id]);
    expect(await jobs(database.queries)).toMatchObject([{ id, state: 'ready', lost_alone: 0 }]);
  });

  it('leaves the slots of its class to other jobs, and returns when its process could not start', async () => {
    const database = await open();
    await suspect(database);
    const alone: string[] = [];
    const process = Promise.withResolvers<AloneEnd>();
    const worker = openWorker({
      database,
      tasks: [handle(keyed, async () => {}), handleBatch({ ...laned, batch: 2 }, async () => {})],
      log: silentLog,
      clock,
      concurrency: 1,
      pollMs: 50,
      runAlone: ([{ id }]) => {
        alone.push(id);
        return process.promise;
      },
    });
    worker.start();
    await expect.poll(() => alone).toHaveLength(1);
    await enqueue(database.queries, keyed, { id: 'beside' });
    await enqueue(database.queries, laned, { id: 'beside' });
    await expect.poll(() => jobs(database.queries)).toHaveLength(1);
    expect(await jobs(database.queries)).toMatchObject([{ key: 'a', state: 'running' }]);
    process.resolve({ kind: 'failed', reason: 'ended with exit code 3' });
    const expected = {
      state: 'ready',
      attempts: 0,
      lost_alone: 0,
      last_error: expect.stringContaining('exit code 3'),
    };
    await expect.poll(() => jobs(database.queries)).toMatchObject([expected]);
    await worker.stop(0);
  });
});
