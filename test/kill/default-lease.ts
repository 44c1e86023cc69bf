import { z } from 'zod';
import type { Database } from '../../src/foundation/db/database.ts';
import { enqueue } from '../../src/foundation/jobs/enqueue.ts';
import { handle } from '../../src/foundation/jobs/handler.ts';
import { queueNow } from '../../src/foundation/jobs/queue-time.ts';
import { defineTask } from '../../src/foundation/jobs/task.ts';
import { openWorker } from '../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { silentLog } from '../support/silent-log.ts';

const probe = defineTask({ name: 'lease-probe', payload: z.object({}) });

/** Measures the default lease of a worker, in milliseconds: reads it from the row of a running job. */
export async function measureDefaultLease(database: Database): Promise<number> {
  const lease = Promise.withResolvers<number>();
  const readLease = async (): Promise<void> => {
    const row = await database.queries
      .selectFrom('jobs')
      .where('task', '=', probe.name)
      .select(['lease_until', queueNow(database.dialect, systemClock).as('now')])
      .executeTakeFirstOrThrow();
    lease.resolve((row.lease_until ?? 0) - row.now);
  };
  const tasks = [handle(probe, readLease)];
  const worker = openWorker({ database, tasks, log: silentLog, clock: systemClock, concurrency: 1 });
  await enqueue(database.queries, probe, {});
  worker.start();
  try {
    return await lease.promise;
  } finally {
    await worker.stop(5_000);
  }
}
