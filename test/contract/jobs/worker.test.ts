import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { Database } from '../../../src/foundation/db/database.ts';
import { forUpdate } from '../../../src/foundation/db/dialect.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { enqueue, enqueueAll } from '../../../src/foundation/jobs/enqueue.ts';
import { type BoundTask, handle, type JobContext } from '../../../src/foundation/jobs/handler.ts';
import { retryJob } from '../../../src/foundation/jobs/lease/lease.ts';
import type { JobRow } from '../../../src/foundation/jobs/tables.ts';
import { defineTask } from '../../../src/foundation/jobs/task.ts';
import { openWorker, type Worker, type WorkerOptions } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { InvalidInput, RateLimited } from '../../../src/foundation/kernel/errors.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';
import {
  brief,
  claim,
  claimed,
  claimJob,
  jobs,
  keyed,
  laned,
  plain,
  urgent,
} from '../../support/jobs/queue.ts';
import { silentLog } from '../../support/silent-log.ts';

/** Maximum time that a test waits for a state, in milliseconds. */
const within = 120_000;

async function withWorker(
  database: Database,
  tasks: readonly BoundTask[],
  work: (worker: Worker) => Promise<void>,
  options: Partial<WorkerOptions> = {},
): Promise<void> {
  const worker = openWorker({
    database,
    tasks,
    log: silentLog,
    clock: systemClock,
    concurrency: 4,
    ...options,
  });
  worker.start();
  try {
    await work(worker);
  } finally {
    await worker.stop(0);
  }
}

describeEachDatabase('a failed job', (open) => {
  const failing = async (database: Database, error: Error): Promise<JobRow> => {
    await enqueue(database.queries, brief, { id: 'a' }, { runAt: 0 });
    const run = vi.fn(() => Promise.reject(error));
    await withWorker(database, [handle(brief, run)], () =>
      vi.waitFor(async () => {
        expect(run).toHaveBeenCalled();
        expect(await jobs(database.queries)).not.toMatchObject([{ state: 'running' }]);
      }, within),
    );
    const [row] = await jobs(database.queries);
    if (row === undefined) throw new Error('the job is gone');
    return row;
  };

  it('waits as long as the service requested, and keeps the public message', async () => {
    const before = Date.now();
    const row = await failing(
      await open(),
      new RateLimited('The tracker asks to wait.', { retryAfter: 120 }),
    );
    expect(row).toMatchObject({ state: 'ready', attempts: 1, last_error: 'The tracker asks to wait.' });
    expect(row.run_at).toBeGreaterThan(before + 118_000);
    expect(row.run_at).toBeLessThan(Date.now() + 122_000);
  });

  it('keeps only the fact of an unexpected error', async () => {
    const row = await failing(await open(), new Error('password=hunter2'));
    expect(row.last_error).not.toContain('hunter2');
    expect(row.last_error).toMatch(/log/);
  });

  it('is dead at once when a retry cannot help', async () => {
    const row = await failing(await open(), new InvalidInput('The branch does not exist.'));
    expect(row).toMatchObject({ state: 'dead', attempts: 1, last_error: 'The branch does not exist.' });
    expect(Date.now() - row.run_at).toBeLessThan(60_000);
  });

  it('is dead after its last attempt', async () => {
    const database = await open();
    await enqueue(database.queries, brief, { id: 'a' });
    const run = vi.fn(async () => {
      await database.queries.updateTable('jobs').set({ run_at: 0 }).where('state', '=', 'ready').execute();
      throw new RateLimited('Wait.', { retryAfter: 0 });
    });
    await withWorker(database, [handle(brief, run)], () =>
      vi.waitFor(async () => expect(await jobs(database.queries)).toMatchObject([{ state: 'dead' }]), within),
    );
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('keeps its back-off when an edit arrives, unless a time is given', async () => {
    const database = await open();
    await enqueue(database.queries, keyed, { id: 'a' });
    const retry = { delayMs: 60_000, lastError: 'Wait.', clock: systemClock };
    await retryJob(database, await claimed(database), retry);
    await enqueue(database.queries, keyed, { id: 'a' });
    expect(await claimJob(database, claim)).toBeUndefined();
    await enqueue(database.queries, keyed, { id: 'a' }, { runAt: 0 });
    expect(await claimed(database)).toMatchObject({ attempts: 2 });
  });

  it('passes back-off and attempts on to the edit that arrived while it ran', async () => {
    const database = await open();
    await enqueue(database.queries, keyed, { id: 'a' });
    const failed = await claimed(database);
    const edit = await enqueue(database.queries, keyed, { id: 'a' });
    const retry = { delayMs: 60_000, lastError: 'Wait.', clock: systemClock };
    expect(await retryJob(database, failed, retry)).toBe(true);
    expect(await jobs(database.queries)).toMatchObject([{ id: edit, attempts: 1, last_error: 'Wait.' }]);
    expect(await claimJob(database, claim)).toBeUndefined();
  });
});

describeEachDatabase('a worker', (open, dialect) => {
  it('runs a job soon after it is enqueued, and deletes it', async () => {
    const database = await open();
    const run = vi.fn(async (_payload: { id: string }, _context: JobContext) => {});
    await withWorker(database, [handle(plain, run)], async () => {
      await sleep(100);
      await enqueue(database.queries, plain, { id: 'a' });
      await vi.waitFor(() => expect(run).toHaveBeenCalledOnce(), { timeout: within, interval: 5 });
      await vi.waitFor(async () => expect(await jobs(database.queries)).toEqual([]), within);
    });
    expect(run.mock.calls[0]).toMatchObject([{ id: 'a' }, { attempt: 1, maxAttempts: 12 }]);
  });

  it('wakes up for a job when it becomes due', async () => {
    const database = await open();
    const runAt = Date.now() + 400;
    const ranAt: number[] = [];
    const run = async (): Promise<void> => void ranAt.push(Date.now());
    await enqueue(database.queries, plain, { id: 'a' }, { runAt });
    await withWorker(database, [handle(plain, run)], async () => {
      await vi.waitFor(() => expect(ranAt).toHaveLength(1), within);
    });
    expect(ranAt[0]).toBeGreaterThanOrEqual(runAt);
  });

  itWhen(dialect === 'postgres')(
    'polls again soon when a job was locked by a transaction that ended without a notification',
    async () => {
      const database = await open();
      const other = await openDatabase(database.options, silentLog);
      const id = await enqueue(database.queries, plain, { id: 'a' });
      const letGo = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const holding = other.transaction(async (tx) => {
        await forUpdate(tx, tx.selectFrom('jobs').where('id', '=', id).selectAll()).execute();
        locked.resolve();
        await letGo.promise;
      });
      await locked.promise;
      const run = vi.fn(async () => {});
      const options = { pollMs: 60_000 };
      await withWorker(
        database,
        [handle(plain, run)],
        async () => {
          await sleep(300);
          expect(run).not.toHaveBeenCalled();
          letGo.resolve();
          await holding;
          await vi.waitFor(() => expect(run).toHaveBeenCalled(), within);
        },
        options,
      );
      await other.close();
    },
  );

  it('runs at most the configured number of jobs at once', async () => {
    const database = await open();
    for (let n = 0; n < 9; n += 1) await enqueue(database.queries, plain, { id: String(n) });
    let [now, max, done] = [0, 0, 0];
    const run = async (): Promise<void> => {
      max = Math.max(max, (now += 1));
      await sleep(20);
      now -= 1;
      done += 1;
    };
    await withWorker(database, [handle(plain, run)], () => vi.waitFor(() => expect(done).toBe(9), within), {
      concurrency: 3,
    });
    expect(max).toBe(3);
  });

  it('never overlaps jobs of a lane, while two lanes run concurrently', async () => {
    const database = await open();
    for (let n = 0; n < 10; n += 1) await enqueue(database.queries, laned, { id: `${'ab'[n % 2]}${n}` });
    const running = new Map<string, number>();
    let [overlaps, sideBySide, done] = [0, 0, 0];
    const run = async ({ id }: { id: string }): Promise<void> => {
      const lane = id.slice(0, 1);
      running.set(lane, (running.get(lane) ?? 0) + 1);
      if ((running.get(lane) ?? 0) > 1) overlaps += 1;
      await sleep(20);
      if (running.get('a') === 1 && running.get('b') === 1) sideBySide += 1;
      running.set(lane, (running.get(lane) ?? 0) - 1);
      done += 1;
    };
    await withWorker(database, [handle(laned, run)], () => vi.waitFor(() => expect(done).toBe(10), within));
    expect(overlaps).toBe(0);
    expect(sideBySide).toBeGreaterThan(0);
  });

  it('releases a lane to another worker after a while', async () => {
    const database = await open();
    const options = database.options;
    const numbers = Array.from({ length: 2_000 }, (_, n) => ({ id: `a${n}` }));
    await database.transaction((tx) => enqueueAll(tx, laned, numbers));
    const owners = [await openDatabase(options, silentLog), await openDatabase(options, silentLog)];
    const runs = [0, 0];
    const workers = owners.map((own, index) =>
      openWorker({
        database: own,
        tasks: [
          handle(laned, async () => {
            runs[index] = (runs[index] ?? 0) + 1;
            await sleep(2);
          }),
        ],
        log: silentLog,
        clock: systemClock,
        concurrency: 4,
      }),
    );
    for (const worker of workers) worker.start();
    try {
      await vi.waitFor(() => expect(Math.min(...runs)).toBeGreaterThan(3), within);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop(1_000)));
      await Promise.all(owners.map((own) => own.close()));
    }
  });

  it('keeps a long job by renewing its lease', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    const run = vi.fn(() => sleep(1_200));
    const options = { leaseMs: 400, heartbeatMs: 100 };
    await withWorker(
      database,
      [handle(plain, run)],
      () => vi.waitFor(async () => expect(await jobs(database.queries)).toEqual([]), within),
      options,
    );
    expect(run).toHaveBeenCalledOnce();
  });

  it('aborts a handler whose lease is not renewed in time, so that no other starts concurrently', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    const aborted = Promise.withResolvers<number>();
    const run = async (_payload: unknown, { signal }: JobContext): Promise<void> => {
      signal.addEventListener('abort', () => aborted.resolve(Date.now()));
      await sleep(20_000, undefined, { signal });
    };
    const leaseMs = 3_000;
    await withWorker(database, [handle(plain, run)], async () => void (await aborted.promise), {
      leaseMs,
      heartbeatMs: 60_000,
    });
    const [job] = await jobs(database.queries);
    expect(await aborted.promise).toBeLessThan(job?.lease_until ?? 0);
  });

  it('aborts a handler whose lease another worker has taken', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    const aborted = vi.fn();
    const run = async (_payload: unknown, { signal }: JobContext): Promise<void> => {
      signal.addEventListener('abort', aborted);
      await database.queries.updateTable('jobs').set({ lease_token: 'of another' }).execute();
      await sleep(5_000, undefined, { signal });
    };
    await withWorker(
      database,
      [handle(plain, run)],
      () => vi.waitFor(() => expect(aborted).toHaveBeenCalledOnce(), within),
      { heartbeatMs: 50 },
    );
    expect(await jobs(database.queries)).toMatchObject([{ state: 'running', lease_token: 'of another' }]);
  });

  it('marks a job as dead without running it when its payload does not match its task', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    await database.queries.updateTable('jobs').set({ payload: '{"id":7}' }).execute();
    const run = vi.fn(async () => {});
    await withWorker(database, [handle(plain, run)], () =>
      vi.waitFor(async () => expect(await jobs(database.queries)).toMatchObject([{ state: 'dead' }]), within),
    );
    expect(run).not.toHaveBeenCalled();
  });

  it('leaves jobs of unknown tasks, and logs it once', async () => {
    const database = await open();
    await enqueue(database.queries, urgent, { id: 'a' });
    const warn = vi.fn();
    const log = { ...silentLog, warn, child: () => log } as unknown as typeof silentLog;
    await withWorker(database, [handle(plain, async () => {})], () => sleep(200), { log, leaseMs: 120 });
    expect(warn.mock.calls).toEqual([[{ task: 'urgent' }, 'jobs of an unknown task are skipped']]);
    expect(await jobs(database.queries)).toMatchObject([{ state: 'ready', attempts: 0 }]);
  });

  it('leaves jobs that no worker of its version handles, without a log line', async () => {
    const database = await open();
    await enqueue(database.queries, urgent, { id: 'a' });
    const warn = vi.fn();
    const log = { ...silentLog, warn, child: () => log } as unknown as typeof silentLog;
    const options = { log, leaseMs: 120, unhandled: [urgent] };
    await withWorker(database, [handle(plain, async () => {})], () => sleep(200), options);
    expect(warn).not.toHaveBeenCalled();
    expect(await jobs(database.queries)).toMatchObject([{ state: 'ready', attempts: 0 }]);
  });
});

describeEachDatabase('a worker that stops', (open) => {
  it('lets a running job finish within the grace period, and claims no other', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    await enqueue(database.queries, plain, { id: 'b' });
    const run = vi.fn(() => sleep(200));
    await withWorker(
      database,
      [handle(plain, run)],
      async (worker) => {
        await vi.waitFor(() => expect(run).toHaveBeenCalled(), within);
        await worker.stop(2_000);
      },
      { concurrency: 1 },
    );
    expect(run).toHaveBeenCalledOnce();
    expect(await jobs(database.queries)).toMatchObject([{ state: 'ready', attempts: 0 }]);
  });

  it('aborts the job after the grace period and releases it', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' });
    const run = vi.fn((_payload: unknown, { signal }: JobContext) => sleep(5_000, undefined, { signal }));
    await withWorker(database, [handle(laned, run)], async (worker) => {
      await vi.waitFor(() => expect(run).toHaveBeenCalled(), within);
      await worker.stop(50);
    });
    expect(await jobs(database.queries)).toMatchObject([{ state: 'ready', attempts: 0, lease_token: null }]);
    expect(await claimJob(database, claim)).toBeDefined();
  });

  it('keeps the lease of a handler that ignores its signal', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    const { promise, resolve } = Promise.withResolvers<void>();
    const run = vi.fn(() => promise);
    await withWorker(database, [handle(plain, run)], async (worker) => {
      await vi.waitFor(() => expect(run).toHaveBeenCalled(), within);
      await worker.stop(0);
    });
    expect(await jobs(database.queries)).toMatchObject([{ state: 'running' }]);
    resolve();
    await vi.waitFor(async () => expect(await jobs(database.queries)).toEqual([]), within);
  });
});

describeEachDatabase('the slots of a worker', (open) => {
  const payload = plain.payload;
  const long = defineTask({ name: 'long', payload, slots: 'bulk', priority: 50 });
  const later = defineTask({ name: 'later', payload, slots: 'derived', priority: 50 });
  const concurrency = { interactive: 2, bulk: 2, derived: 1, graph: 1 };

  it('keep long work of other classes from holding up a job, however urgent and many it is', async () => {
    const database = await open();
    await enqueueAll(database.queries, long, [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    await enqueueAll(database.queries, later, [{ id: 'd' }, { id: 'e' }]);
    const endless = vi.fn((_payload: { id: string }, { signal }: JobContext) =>
      sleep(60_000, undefined, { signal }),
    );
    const run = vi.fn(async () => {});
    const tasks = [handle(long, endless), handle(later, endless), handle(plain, run)];
    await withWorker(
      database,
      tasks,
      async () => {
        await vi.waitFor(() => expect(endless).toHaveBeenCalledTimes(3), within);
        await enqueueAll(
          database.queries,
          plain,
          Array.from({ length: 10 }, (_, n) => ({ id: `p${n}` })),
        );
        await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(10), within);
        expect(endless.mock.calls.map(([{ id }]) => id).toSorted()).toEqual(['a', 'b', 'd']);
      },
      { concurrency },
    );
  });

  it('are as many as given for each class, whatever a claim could take at once', async () => {
    const database = await open();
    let [running, most] = [0, 0];
    const count = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await sleep(5);
      running -= 1;
    };
    const ids = Array.from({ length: 12 }, (_, n) => ({ id: `l${n}` }));
    await enqueueAll(database.queries, long, ids);
    await withWorker(
      database,
      [handle(long, count), handle(plain, async () => {})],
      () => vi.waitFor(async () => expect(await jobs(database.queries)).toEqual([]), within),
      { concurrency: { interactive: 8, bulk: 2, derived: 8, graph: 8 } },
    );
    expect(most).toBe(2);
  });
});
