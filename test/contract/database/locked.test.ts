import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { handle } from '../../../src/foundation/jobs/handler.ts';
import { completeJobs } from '../../../src/foundation/jobs/worker/complete-jobs.ts';
import { groupTransactions } from '../../../src/foundation/jobs/worker/group-transactions.ts';
import { runJobs } from '../../../src/foundation/jobs/worker/run-jobs.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { signTracker, trackerEvent } from '../../standins/webhook-sender.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { holdWriteLock } from '../../support/database/hold-write-lock.ts';
import { openTestHttp, openTestIntake, openTestKeyring } from '../../support/http/http-server.ts';
import { brief, claimed, jobs } from '../../support/jobs/queue.ts';
import { silentLog } from '../../support/silent-log.ts';
import { connectTracker } from '../../support/webhooks/connected-tracker.ts';

const secret = 'the-secret-of-this-connection';
const signal = new AbortController().signal;
const organization = (id: string) => ({ id, slug: id, name: id, created_at: 1 });

describe('while another program holds the write lock of SQLite', () => {
  let file: string;
  /** Waits for the lock as long as the service does. */
  let database: Database;
  /** Gives up soon, so that the tests are quick. */
  let impatient: Database;

  beforeEach(async () => {
    const opened = await openTestDatabase('sqlite');
    if (opened.options.dialect !== 'sqlite') throw new Error('another dialect was opened');
    file = opened.options.file;
    database = opened;
    impatient = await openDatabase({ ...opened.options, lockWaitMs: 100 }, silentLog);
    return async () => {
      await impatient.close();
      await opened.close();
    };
  });

  const slugs = async () => {
    const rows = await database.queries.selectFrom('organizations').select('slug').orderBy('slug').execute();
    return rows.map(({ slug }) => slug);
  };

  it('a group of transactions fails at once, because each of them would wait as long', async () => {
    const release = await holdWriteLock(file);
    let runs = 0;
    const counting: Database = {
      ...impatient,
      transaction: (work) => {
        runs += 1;
        return impatient.transaction(work);
      },
    };
    const grouped = groupTransactions(counting);
    const insert = (id: string) =>
      grouped.transaction((tx) => tx.insertInto('organizations').values(organization(id)).execute());
    const results = await Promise.allSettled(['a', 'b', 'c'].map(insert));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(runs).toBe(1);
    await release();
    expect(await slugs()).toEqual([]);
  });

  it('writes wait without stopping the event loop, reads go on, and the writes succeed at its end', async () => {
    const release = await holdWriteLock(file);
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    // Statements outside of a transaction wait in the same way.
    const writes = ['a', 'b', 'c', 'd'].map((id) => {
      const insert = (queries: Database['queries']) =>
        queries.insertInto('organizations').values(organization(id)).execute();
      return id < 'c' ? database.transaction(insert) : insert(database.queries);
    });
    for (const end = performance.now() + 500; performance.now() < end; await sleep(20)) {
      expect(await slugs()).toEqual([]);
    }
    delay.disable();
    // A busy_timeout of the connection would stop it for 5 s. The bound leaves room for a busy machine.
    expect(delay.max / 1e6).toBeLessThan(4_000);
    await release();
    await Promise.all(writes);
    expect(await slugs()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a write that waits too long, also that of a webhook, is answered with 503 and Retry-After, and reads are answered', async () => {
    const keyring = await openTestKeyring(impatient);
    await connectTracker(impatient, keyring, { secret });
    const intake = openTestIntake(impatient, keyring, silentLog);
    const http = await openTestHttp(impatient, { intake });
    const add = () =>
      http.call({
        method: 'POST',
        url: '/acme/api/v1/repositories',
        as: 'admin',
        payload: { source: 'https://git.example/team/api' },
      });
    const { headers, body } = signTracker(trackerEvent(), { secret });
    const deliver = () =>
      http.server.inject({ method: 'POST', url: '/api/v1/webhook/tracker', headers, payload: body });
    const release = await holdWriteLock(file);
    for (const refused of [await add(), await deliver()]) {
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1']);
      expect(refused.json()).toMatchObject({ code: 'database_busy' });
    }
    expect((await http.call({ url: '/acme/api/v1/repositories' })).statusCode).toBe(200);
    // A single statement meets the same lock and reports the same error.
    const alone = sql`update organizations set name = 'b'`.execute(impatient.queries);
    await expect(alone).rejects.toMatchObject({ code: 'database_busy', status: 503 });
    await release();
    expect([(await add()).statusCode, (await deliver()).statusCode]).toEqual([201, 200]);
    await http.server.close();
    await intake.close(0);
  });

  it('a webhook waits for the lock as long as those before it, and not once more', async () => {
    const waiting = await openDatabase({ dialect: 'sqlite', file, lockWaitMs: 1_500 }, silentLog);
    const keyring = await openTestKeyring(waiting);
    await connectTracker(waiting, keyring, { secret });
    const intake = openTestIntake(waiting, keyring, silentLog);
    const http = await openTestHttp(waiting, { intake });
    const deliver = async () => {
      const { headers, body } = signTracker(trackerEvent(), { secret });
      const request = { method: 'POST', url: '/api/v1/webhook/tracker', headers, payload: body } as const;
      return (await http.server.inject(request)).statusCode;
    };
    const release = await holdWriteLock(file);
    const first = deliver();
    await sleep(100);
    const second = deliver();
    expect(await first).toBe(503);
    // If the second one began to wait only now, it would succeed.
    await release();
    expect(await second).toBe(503);
    expect(await deliver()).toBe(200);
    await http.server.close();
    await intake.close(0);
    await waiting.close();
  });

  it('no job is lost or uses up an attempt: its outcome is recorded when the lock is free', async () => {
    await enqueue(impatient.queries, brief, { id: 'a' });
    await enqueue(impatient.queries, brief, { id: 'b' });
    const [done, failed] = [await claimed(impatient), await claimed(impatient)];
    const release = await holdWriteLock(file);
    const complete = (ended: Parameters<typeof completeJobs>[1]) => completeJobs(impatient, ended);
    const run = (job: typeof done, handler: () => Promise<void>) =>
      runJobs(
        { database: impatient, clock: systemClock, log: silentLog, complete },
        { bound: handle(brief, handler), jobs: [job], signal },
      );
    const runs = Promise.all([
      run(done, async () => undefined),
      run(failed, () => impatient.transaction(async () => undefined)),
    ]);
    await sleep(500);
    await release();
    await runs;
    expect(await jobs(impatient.queries)).toMatchObject([
      { id: failed.id, state: 'ready', attempts: 0, last_error: expect.stringContaining('database is busy') },
    ]);
  });

  it('longer than a lease, no job of a living worker becomes a suspect', async () => {
    const runs: (number | null)[] = [];
    const aborted = Promise.withResolvers<void>();
    const work = handle(brief, async (_payload, context) => {
      const [row] = await jobs(impatient.queries);
      runs.push(row?.lost_alone ?? null);
      if (runs.length > 1) return;
      await once(context.signal, 'abort');
      aborted.resolve();
    });
    const common = { tasks: [work], log: silentLog, clock: systemClock, concurrency: 1 };
    const leaseMs = 2_400;
    const other = await openDatabase({ dialect: 'sqlite', file, lockWaitMs: 100 }, silentLog);
    const workers = [impatient, other].map((opened) =>
      openWorker({ ...common, database: opened, leaseMs, heartbeatMs: 300, pollMs: 50 }),
    );
    for (const worker of workers) worker.start();
    await enqueue(database.queries, brief, { id: 'a' });
    await expect.poll(() => runs.length).toBe(1);
    const release = await holdWriteLock(file);
    await aborted.promise;
    // The lease expires, and both workers would take the job back.
    await sleep(leaseMs / 2);
    await release();
    await expect.poll(() => runs).toEqual([null, null]);
    await Promise.all(workers.map((worker) => worker.stop(1_000)));
    expect(await jobs(database.queries)).toEqual([]);
    await other.close();
  });
});
