import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Logger, run, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { better, defineQueue, defineWorker } from 'plainjob';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/* The libraries that the queue is compared with, each with handlers that do nothing and with the same durability. */

const quiet = { error: console.error, warn: console.warn, info: () => {}, debug: () => {} };
export const quietGraphile = new Logger(() => () => {});

/**
 * Measures jobs per second, enqueued and run one by one. plainjob sets `synchronous = NORMAL`; this overrides it with
 * FULL.
 */
export async function measurePlainjob(jobs: number): Promise<{ enqueue: number; run: number }> {
  const connection = new BetterSqlite3(join(temporaryFolder(), 'plainjob.db'));
  const queue = defineQueue({ connection: better(connection), logger: quiet });
  connection.pragma('synchronous = FULL');
  if (connection.pragma('synchronous', { simple: true }) !== 2) throw new Error('plainjob is not durable');
  const enqueuing = performance.now();
  for (let n = 0; n < jobs; n += 1) queue.add('nothing', { n });
  const running = performance.now();
  const all = Promise.withResolvers<void>();
  let done = 0;
  const worker = defineWorker('nothing', async () => {}, {
    queue,
    logger: quiet,
    onCompleted: () => {
      if ((done += 1) === jobs) all.resolve();
    },
  });
  void worker.start();
  await all.promise;
  const ended = performance.now();
  await worker.stop();
  queue.close();
  return { enqueue: perSecond(jobs, running - enqueuing), run: perSecond(jobs, ended - running) };
}

/** Measures jobs per second, ten at once; with `localQueue` it fetches 50 at once and completes them in batches. */
export async function measureGraphile(
  url: string,
  jobs: number,
  localQueue: boolean,
): Promise<{ enqueue: number; run: number }> {
  const pgPool = new pg.Pool({ connectionString: url, max: 10 });
  // The server closes the connections when the bench ends.
  pgPool.on('error', () => {});
  pgPool.on('connect', (client) => client.on('error', () => {}));
  await runMigrations({ pgPool, logger: quietGraphile });
  const enqueuing = performance.now();
  for (let n = 0; n < enqueued; n += 1) {
    await pgPool.query(`select graphile_worker.add_job('nothing', $1::json)`, [{ n }]);
  }
  const enqueueMs = performance.now() - enqueuing;
  await pgPool.query(
    `select graphile_worker.add_job('nothing', json_build_object('n', n)) from generate_series(1, $1::int) as n`,
    [jobs - enqueued],
  );
  await pgPool.query('vacuum analyze');
  const all = Promise.withResolvers<number>();
  let started = 0;
  let done = 0;
  const runner = await run({
    pgPool,
    logger: quietGraphile,
    concurrency: 10,
    noHandleSignals: true,
    taskList: {
      nothing: async () => {
        started ||= performance.now();
      },
    },
    ...(localQueue ? { preset: { worker: { localQueue: { size: 50 }, completeJobBatchDelay: 0 } } } : {}),
  });
  runner.events.on('job:complete', () => {
    if ((done += 1) === jobs) all.resolve(performance.now());
  });
  const ended = await all.promise;
  await runner.stop();
  await pgPool.end();
  return { enqueue: perSecond(enqueued, enqueueMs), run: perSecond(jobs, ended - started) };
}

/** Number of jobs that are enqueued one by one; one statement enqueues the others. */
export const enqueued = 500;

export function perSecond(count: number, ms: number): number {
  return (count / ms) * 1_000;
}
