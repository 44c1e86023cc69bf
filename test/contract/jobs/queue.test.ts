import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Database } from '../../../src/foundation/db/database.ts';
import { claimJobs } from '../../../src/foundation/jobs/claim/claim.ts';
import { enqueue, enqueueAll } from '../../../src/foundation/jobs/enqueue.ts';
import { markDead, releaseJob, renewLeases, retryJob } from '../../../src/foundation/jobs/lease/lease.ts';
import { reapExpiredLeases } from '../../../src/foundation/jobs/lease/reap.ts';
import { defineTask } from '../../../src/foundation/jobs/task.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';
import {
  brief,
  claim,
  claimed,
  claimJob,
  completeJob,
  ended,
  jobs,
  keyed,
  laned,
  plain,
  urgent,
} from '../../support/jobs/queue.ts';
import { silentLog } from '../../support/silent-log.ts';

describeEachDatabase('enqueuing', (open) => {
  it('is rolled back with its transaction', async () => {
    const database = await open();
    const failed = database.transaction(async (tx) => {
      await enqueue(tx, plain, { id: 'a' });
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    expect(await jobs(database.queries)).toEqual([]);
  });

  it('creates one job from fifty edits, with the newest payload', async () => {
    const database = await open();
    const ids = new Set<string>();
    for (let edit = 0; edit < 50; edit += 1) ids.add(await enqueue(database.queries, keyed, { id: 'a' }));
    expect(ids.size).toBe(1);
    expect(await jobs(database.queries)).toHaveLength(1);
  });

  it('keeps jobs of other keys, of other tasks and without a key separate', async () => {
    const database = await open();
    const other = defineTask({ ...keyed, name: 'other' });
    await enqueue(database.queries, keyed, { id: 'a' });
    await enqueue(database.queries, keyed, { id: 'b' });
    await enqueue(database.queries, other, { id: 'a' });
    await enqueue(database.queries, plain, { id: 'a' });
    await enqueue(database.queries, plain, { id: 'a' });
    expect(await jobs(database.queries)).toHaveLength(5);
  });

  it('gives the waiting duplicate the earlier time and the higher priority, never the later and lower', async () => {
    const database = await open();
    const pressing = defineTask({ ...keyed, priority: 7 });
    await enqueue(database.queries, keyed, { id: 'a' }, { runAt: 5_000 });
    await enqueue(database.queries, pressing, { id: 'a' }, { runAt: 9_000 });
    await enqueue(database.queries, keyed, { id: 'a' }, { runAt: 7_000 });
    expect(await jobs(database.queries)).toMatchObject([{ run_at: 5_000, priority: 7 }]);
  });

  it('creates a new job for an edit while its duplicate runs', async () => {
    const database = await open();
    await enqueue(database.queries, keyed, { id: 'a' });
    const running = await claimed(database);
    await enqueue(database.queries, keyed, { id: 'a' });
    expect((await jobs(database.queries)).map(({ state }) => state).toSorted()).toEqual(['ready', 'running']);
    expect(await completeJob(database, running)).toBe(true);
    expect(await jobs(database.queries)).toMatchObject([{ state: 'ready' }]);
  });
});

describeEachDatabase('enqueuing many', (open, dialect) => {
  it('returns their ids in order, and they run in that order', async () => {
    const database = await open();
    const payloads = Array.from({ length: 128 }, (_, n) => ({ id: String(n) }));
    const ids = await database.transaction((tx) => enqueueAll(tx, plain, payloads));
    const order: string[] = [];
    for (const _ of payloads) order.push((await claimed(database)).id);
    expect(order).toEqual(ids);
  });

  it('creates one job per key with its last payload, and merges waiting ones', async () => {
    const database = await open();
    const pair = defineTask({
      ...keyed,
      name: 'plain',
      payload: z.object({ id: z.string(), n: z.number() }),
    });
    const waiting = await enqueue(database.queries, pair, { id: 'b', n: 0 });
    const ids = await enqueueAll(database.queries, pair, [
      { id: 'a', n: 1 },
      { id: 'b', n: 2 },
      { id: 'a', n: 3 },
    ]);
    expect(ids[1]).toBe(waiting);
    expect(ids[0]).toBe(ids[2]);
    const rows = await jobs(database.queries);
    expect(rows.map((row) => row.payload).toSorted()).toEqual(['{"id":"a","n":3}', '{"id":"b","n":2}']);
  });

  it('does nothing for an empty list', async () => {
    const database = await open();
    expect(await enqueueAll(database.queries, keyed, [])).toEqual([]);
    expect(await jobs(database.queries)).toEqual([]);
  });

  itWhen(dialect === 'postgres')('does not deadlock in two opposite orders', async () => {
    const database = await open();
    const there = Array.from({ length: 200 }, (_, n) => ({ id: String(n) }));
    const log = vi.spyOn(silentLog, 'debug');
    await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        database.transaction((tx) => enqueueAll(tx, keyed, n % 2 === 0 ? there : there.toReversed())),
      ),
    );
    expect(await jobs(database.queries)).toHaveLength(200);
    expect(log.mock.calls.filter(([, message]) => message === 'transaction retried')).toEqual([]);
    log.mockRestore();
  });
});

describeEachDatabase('claiming', (open, dialect) => {
  itWhen(dialect === 'postgres')('never waits for a job that another claim holds', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' }, { runAt: 1 });
    await enqueue(database.queries, plain, { id: 'b' }, { runAt: 2 });
    const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const other = database.transaction(async (tx) => {
      await tx.selectFrom('jobs').where('run_at', '=', 1).select('id').forUpdate().execute();
      held.resolve();
      await over.promise;
    });
    await held.promise;
    const timeout = setTimeout(over.resolve, 30_000);
    const started = performance.now();
    expect((await claimed(database)).payload).toBe('{"id":"b"}');
    expect(performance.now() - started).toBeLessThan(25_000);
    clearTimeout(timeout);
    over.resolve();
    await other;
  });

  itWhen(dialect === 'postgres')('skips a lane that another claim takes at the same time', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' });
    const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const taken = { lane: 'a', lease_token: 'of another', lease_until: Date.now() + 60_000, fence: 7 };
    const other = database.transaction(async (tx) => {
      await tx.insertInto('lanes').values(taken).execute();
      held.resolve();
      await over.promise;
    });
    await held.promise;
    const claiming = claimJobs(database, claim, 1);
    await vi.waitFor(async () => {
      const waiting = await sql`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.queries);
      expect(waiting.rows).toHaveLength(1);
    }, 120_000);
    over.resolve();
    await other;
    expect(await claiming).toEqual([]);
    expect(await jobs(database.queries)).toMatchObject([{ state: 'ready', attempts: 0 }]);
    expect(await database.queries.selectFrom('lanes').selectAll().execute()).toEqual([taken]);
  });

  it('several jobs takes the requested number, one of each lane', async () => {
    const database = await open();
    for (const id of ['a1', 'a2', 'b1', 'b2']) await enqueue(database.queries, laned, { id });
    for (const id of ['1', '2', '3']) await enqueue(database.queries, urgent, { id });
    const first = (await claimJobs(database, claim, 4)).flat();
    expect(first.map(({ task }) => task)).toEqual(['urgent', 'urgent', 'urgent', 'laned']);
    const second = (await claimJobs(database, claim, 4)).flat();
    expect(second.map(({ task }) => task)).toEqual(['laned']);
    expect(new Set([first[3]?.lane, second[0]?.lane])).toEqual(new Set(['a', 'b']));
  });

  it('takes the higher priority first, then the older job', async () => {
    const database = await open();
    const first = await enqueue(database.queries, plain, { id: 'a' }, { runAt: 1 });
    const second = await enqueue(database.queries, plain, { id: 'b' }, { runAt: 2 });
    const top = await enqueue(database.queries, urgent, { id: 'c' });
    const order = [await claimed(database), await claimed(database), await claimed(database)];
    expect(order.map(({ id }) => id)).toEqual([top, first, second]);
    expect(await claimJob(database, claim)).toBeUndefined();
  });

  it('skips jobs that are not due or whose task is unknown', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' }, { runAt: Date.now() + 60_000 });
    await enqueue(database.queries, urgent, { id: 'a' });
    expect(await claimJob(database, { ...claim, tasks: ['plain'] })).toBeUndefined();
  });

  it('takes one job of a lane at a time, and other lanes concurrently', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' }, { runAt: 1 });
    await enqueue(database.queries, laned, { id: 'a2' }, { runAt: 2 });
    await enqueue(database.queries, laned, { id: 'b1' }, { runAt: 3 });
    const [a1, b1] = [await claimed(database), await claimed(database)];
    expect([a1.payload, b1.payload]).toEqual(['{"id":"a1"}', '{"id":"b1"}']);
    expect(await claimJob(database, claim)).toBeUndefined();
    await completeJob(database, a1);
    expect((await claimed(database)).payload).toBe('{"id":"a2"}');
  });

  it('raises the fence of a lane with each acquisition', async () => {
    const database = await open();
    for (const id of ['a1', 'a2', 'a3']) await enqueue(database.queries, laned, { id });
    for (let run = 0; run < 3; run += 1) await completeJob(database, await claimed(database));
    expect(await database.queries.selectFrom('lanes').selectAll().execute()).toEqual([
      { lane: 'a', lease_token: null, lease_until: null, fence: 3 },
    ]);
  });
});

describeEachDatabase('a lease', (open, dialect) => {
  itWhen(dialect === 'sqlite')('starts when the write lock is acquired, however long that took', async () => {
    const database = await open();
    let now = 1_000_000;
    const clock = () => now;
    const waiting: Database = {
      ...database,
      transaction: (work) => {
        now += 40_000;
        return database.transaction(work);
      },
    };
    await enqueue(database.queries, laned, { id: 'a1' }, { runAt: 1 });
    const options = { ...claim, clock };
    const job = await claimed(waiting, options);
    expect(await jobs(database.queries)).toMatchObject([{ lease_until: now + claim.leaseMs }]);
    await renewLeases(waiting, [job.lease_token], options);
    expect(await jobs(database.queries)).toMatchObject([{ lease_until: now + claim.leaseMs }]);
    expect(await reapExpiredLeases(database, clock)).toBe(0);
  });

  it('of a lost worker no longer permits changes to the job', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' });
    const lost = await claimed(database, ended);
    expect(await reapExpiredLeases(database, systemClock)).toBe(1);
    const held = await claimed(database);

    const retry = { delayMs: 0, lastError: 'timed out', clock: systemClock };
    expect(await completeJob(database, lost)).toBe(false);
    expect(await retryJob(database, lost, retry)).toBe(false);
    expect(await markDead(database, lost, 'timed out', systemClock)).toBe(false);
    expect(await releaseJob(database, lost, systemClock)).toBe(false);
    expect(await renewLeases(database, [lost.lease_token, held.lease_token], claim)).toEqual(
      new Set([held.lease_token]),
    );
    expect(await jobs(database.queries)).toMatchObject([
      { state: 'running', lease_token: held.lease_token, attempts: 1 },
    ]);
    expect(await database.queries.selectFrom('lanes').selectAll().execute()).toMatchObject([
      { lease_token: held.lease_token, fence: 2 },
    ]);
  });

  it('is lost with its lane, though no worker has taken the job yet', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' }, { runAt: 1 });
    await enqueue(database.queries, laned, { id: 'a2' }, { runAt: 2 });
    const lost = await claimed(database, ended);
    await claimed(database);
    const [before] = await jobs(database.queries);
    expect(await renewLeases(database, [lost.lease_token], claim)).toEqual(new Set());
    // The renewal must not change the job either.
    expect((await jobs(database.queries))[0]).toEqual(before);
  });

  it('that expired on the last attempt leaves the job dead', async () => {
    const database = await open();
    await enqueue(database.queries, brief, { id: 'a' });
    // The first loss makes the job a suspect and counts as no attempt.
    for (let run = 0; run < 3; run += 1) {
      await database.queries.updateTable('jobs').set({ run_at: 0 }).execute();
      await claimed(database, ended);
      await reapExpiredLeases(database, systemClock);
    }
    const [row] = await jobs(database.queries);
    expect(row).toMatchObject({ state: 'dead', attempts: 2, lease_token: null });
    expect(row?.run_at).toBeGreaterThan(0);
  });

  it('that expired while an edit arrived leaves one job of both', async () => {
    const database = await open();
    await enqueue(database.queries, keyed, { id: 'a' });
    await claimed(database, ended);
    const edit = await enqueue(database.queries, keyed, { id: 'a' });
    await reapExpiredLeases(database, systemClock);
    expect(await jobs(database.queries)).toMatchObject([
      { id: edit, state: 'ready', attempts: 0, lost_alone: 0 },
    ]);
  });

  it('that is released costs no attempt', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    expect(await releaseJob(database, await claimed(database), systemClock)).toBe(true);
    expect(await jobs(database.queries)).toMatchObject([{ state: 'ready', attempts: 0 }]);
  });

  it('that is still valid is left alone by the reaper', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    await claimed(database);
    expect(await reapExpiredLeases(database, systemClock)).toBe(0);
  });
});
