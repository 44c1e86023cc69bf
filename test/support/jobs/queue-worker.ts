import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { handle } from '../../../src/foundation/jobs/handler.ts';
import { defineTask } from '../../../src/foundation/jobs/task.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { silentLog } from '../silent-log.ts';

/**
 * A worker process that tests kill: writes `start <n>` and `end <n>` lines around a job that takes `ms`. Arguments:
 * database options as JSON, journal file, lease in ms, concurrency, offset of its clock in ms.
 */
const payload = z.object({ n: z.number(), ms: z.number(), lane: z.string().optional() });

export const timedTask = defineTask({ name: 'timed', payload });
export const laneTask = defineTask({ name: 'in-lane', payload, lane: ({ lane }) => lane ?? 'none' });

const [, script, options, journal, leaseMs, concurrency, clockOffset = '0'] = process.argv;
if (script === import.meta.filename && options !== undefined && journal !== undefined) {
  const hostNow = Date.now;
  Date.now = () => hostNow() + Number(clockOffset);
  const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
  const work = async ({ n, ms, lane }: z.infer<typeof payload>): Promise<void> => {
    appendFileSync(journal, `start ${n} ${lane ?? '-'} ${process.pid}\n`);
    await sleep(ms);
    appendFileSync(journal, `end ${n} ${lane ?? '-'} ${process.pid}\n`);
  };
  const worker = openWorker({
    database,
    tasks: [handle(timedTask, work), handle(laneTask, work)],
    log: silentLog,
    clock: systemClock,
    concurrency: Number(concurrency),
    leaseMs: Number(leaseMs),
    heartbeatMs: Number(leaseMs) / 3,
  });
  worker.start();
  process.once('SIGTERM', () => {
    void worker.stop(0).then(() => database.close());
  });
}
