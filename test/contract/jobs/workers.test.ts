import { expect, it } from 'vitest';
import type { Database } from '../../../src/foundation/db/database.ts';
import { handle } from '../../../src/foundation/jobs/handler.ts';
import { listWorkers } from '../../../src/foundation/jobs/inspect/list-workers.ts';
import { openWorker, type Worker } from '../../../src/foundation/jobs/worker/worker.ts';
import { WorkerPresence } from '../../../src/foundation/jobs/worker/worker-presence.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { plain } from '../../support/jobs/queue.ts';
import { silentLog } from '../../support/silent-log.ts';

const dayMs = 24 * 3_600_000;

function workerOn(database: Database): Worker {
  const tasks = [handle(plain, async () => {})];
  return openWorker({ database, tasks, log: silentLog, clock: systemClock, concurrency: 1 });
}

describeEachDatabase('the row of a worker', (open) => {
  it('shows a running worker, and is gone when it has stopped', async () => {
    const database = await open();
    const worker = workerOn(database);
    worker.start();
    const running = () => listWorkers(database.queries);
    await expect.poll(running).toMatchObject([{ pid: process.pid, version: expect.any(String) }]);
    await worker.stop(0);
    expect(await running()).toEqual([]);
  });

  it('keeps the start and moves the heartbeat, also after it was purged', async () => {
    const database = await open();
    const presence = new WorkerPresence(database, systemClock);
    await presence.enter();
    await database.queries.updateTable('workers').set({ started_at: 1, seen_at: 1 }).execute();
    await presence.beat();
    const [beaten] = await listWorkers(database.queries);
    expect(beaten).toMatchObject({ startedAt: 1 });
    expect(beaten?.seenAt).toBeGreaterThan(1);
    await database.queries.deleteFrom('workers').execute();
    await presence.beat();
    expect(await listWorkers(database.queries)).toHaveLength(1);
  });

  it('of a killed worker stays for a day', async () => {
    const database = await open();
    const killed = async (id: string, seenAt: number): Promise<void> => {
      const row = { id, host: id, pid: 7, version: '0.0.1', started_at: 1, seen_at: seenAt };
      await database.queries.insertInto('workers').values(row).execute();
    };
    await killed('long-ago', Date.now() - dayMs - 60_000);
    await killed('today', Date.now() - dayMs + 600_000);
    await new WorkerPresence(database, systemClock).enter();
    const hosts = (await listWorkers(database.queries)).map(({ host }) => host);
    expect(hosts).toHaveLength(2);
    expect(hosts[1]).toBe('today');
  });
});
