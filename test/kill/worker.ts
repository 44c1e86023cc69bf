import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions } from '../../src/foundation/db/database.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { type BatchJob, handle, handleBatch, type JobContext } from '../../src/foundation/jobs/handler.ts';
import { LeaseLost } from '../../src/foundation/jobs/lease/lease-lost.ts';
import { openWorker } from '../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { Unavailable } from '../../src/foundation/kernel/errors.ts';
import { newId } from '../../src/foundation/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { recordEffect } from './effects.ts';
import { monotonicMs, writeLine } from './journal.ts';
import { batch, edit, single, type Work } from './tasks.ts';

/**
 * A worker process that the test kills. Arguments: database options as JSON, journal file, lease in ms, concurrency.
 */
const [, , options = '', journal = '', leaseMs = '', concurrency = ''] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);

async function run(jobs: readonly Pick<BatchJob<Work>, 'payload'>[], context: JobContext): Promise<void> {
  const works = jobs.map(({ payload }) => payload);
  const { fence = 0 } = context;
  const id = newId();
  const lane = works[0]?.lane ?? '';
  const numbers = works.map(({ n }) => n);
  writeLine(journal, {
    what: 'start',
    run: id,
    pid: process.pid,
    lane,
    fence,
    jobs: numbers,
    at: monotonicMs(),
  });
  try {
    await sleep(Math.max(...works.map(({ ms }) => ms)), undefined, { signal: context.signal });
    if (context.attempt === 1 && works.some(({ fails }) => fails))
      throw new Unavailable('unavailable', 'Unavailable.', { retryAfter: 0 });
    await database.transaction(async (tx) => {
      await context.assertHeld(tx);
      for (const work of works) await recordEffect(tx, work, fence);
    });
    writeLine(journal, { what: 'done', run: id, at: monotonicMs() });
  } catch (error) {
    const isLost = error instanceof LeaseLost || context.signal.reason instanceof LeaseLost;
    writeLine(journal, { what: isLost ? 'lost' : 'failed', run: id, at: monotonicMs() });
    throw error;
  }
}

const one = (payload: Work, context: JobContext): Promise<void> => run([{ payload }], context);

openWorker({
  database,
  tasks: [handle(single, one), handle(edit, one), handleBatch(batch, run)],
  log: silentLog,
  clock: systemClock,
  concurrency: Number(concurrency),
  leaseMs: Number(leaseMs),
  heartbeatMs: Number(leaseMs) / 3,
}).start();
