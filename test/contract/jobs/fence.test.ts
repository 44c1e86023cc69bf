import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { handle, type JobContext } from '../../../src/foundation/jobs/handler.ts';
import { assertHeld } from '../../../src/foundation/jobs/lease/assert-held.ts';
import { LeaseLost } from '../../../src/foundation/jobs/lease/lease-lost.ts';
import { reapExpiredLeases } from '../../../src/foundation/jobs/lease/reap.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';
import { claim, claimed, ended, jobs, laned, plain } from '../../support/jobs/queue.ts';
import { silentLog } from '../../support/silent-log.ts';

describeEachDatabase('a run that checks its lease', (open, dialect) => {
  it('continues while it holds its job and its lane', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' });
    await enqueue(database.queries, plain, { id: 'a1' });
    for (const job of [await claimed(database), await claimed(database)]) {
      await expect(database.transaction((tx) => assertHeld(tx, [job], systemClock))).resolves.toBeUndefined();
    }
  });

  it('is stopped once another worker has the lane, whatever became of its job', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' }, { runAt: 1 });
    await enqueue(database.queries, laned, { id: 'a2' }, { runAt: 2 });
    const stale = await claimed(database, ended);
    const next = await claimed(database);
    expect(next.fence).toBe((stale.fence ?? 0) + 1);
    await expect(database.transaction((tx) => assertHeld(tx, [stale], systemClock))).rejects.toThrow(
      LeaseLost,
    );
    // Renewing its own job lease in parallel does not help: the lane is decisive.
    await database.queries
      .updateTable('jobs')
      .set({ lease_until: Date.now() + 60_000 })
      .where('id', '=', stale.id)
      .execute();
    await expect(database.transaction((tx) => assertHeld(tx, [stale], systemClock))).rejects.toThrow(
      LeaseLost,
    );
    await expect(database.transaction((tx) => assertHeld(tx, [next], systemClock))).resolves.toBeUndefined();
  });

  it('is stopped once its lease has expired, though no other worker has taken it', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    const expired = await claimed(database, ended);
    await expect(database.transaction((tx) => assertHeld(tx, [expired], systemClock))).rejects.toThrow(
      LeaseLost,
    );
  });

  it('reports nothing about a job that it lost', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    const onLeaseLost = vi.fn();
    const run = async (_payload: unknown, context: JobContext): Promise<void> => {
      await database.queries.updateTable('jobs').set({ lease_until: 0 }).execute();
      await database.transaction((tx) => context.assertHeld(tx)).catch(onLeaseLost);
      throw onLeaseLost.mock.calls[0]?.[0] as Error;
    };
    const worker = openWorker({
      database,
      tasks: [handle(plain, run)],
      log: silentLog,
      clock: systemClock,
      concurrency: 1,
    });
    worker.start();
    await vi.waitFor(() => expect(onLeaseLost).toHaveBeenCalled(), 120_000);
    await worker.stop(1_000);
    expect(onLeaseLost.mock.calls[0]?.[0]).toBeInstanceOf(LeaseLost);
    expect(await jobs(database.queries)).toMatchObject([{ state: 'running', lease_until: 0, attempts: 1 }]);
  });

  itWhen(dialect === 'postgres')(
    'blocks others until its transaction ends, even after its lease expires',
    async () => {
      const database = await open();
      await enqueue(database.queries, laned, { id: 'a1' });
      const job = await claimed(database, { ...claim, leaseMs: 300 });
      const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const effect = database.transaction(async (tx) => {
        await assertHeld(tx, [job], systemClock);
        held.resolve();
        await over.promise;
      });
      await held.promise;
      await sleep(400);
      const before = await reapExpiredLeases(database, systemClock);
      over.resolve();
      await effect;
      expect(before).toBe(0);
      expect(await reapExpiredLeases(database, systemClock)).toBe(1);
    },
  );
});
