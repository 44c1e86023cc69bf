import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { assertHeld } from '../../src/foundation/jobs/assert-held.ts';
import { enqueue } from '../../src/foundation/jobs/enqueue.ts';
import { handle, type JobContext } from '../../src/foundation/jobs/handler.ts';
import { LeaseLost } from '../../src/foundation/jobs/lease-lost.ts';
import { reapExpiredLeases } from '../../src/foundation/jobs/reap.ts';
import { openWorker } from '../../src/foundation/jobs/worker.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { describeEachDatabase, itWhen } from '../support/databases.ts';
import { claim, claimed, ended, jobs, laned, plain } from '../support/queue.ts';
import { silentLog } from '../support/silent-log.ts';

describeEachDatabase('a run that checks its lease', (open, dialect) => {
  it('goes on while it holds job and lane', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' });
    await enqueue(database.queries, plain, { id: 'a1' });
    for (const job of [await claimed(database), await claimed(database)]) {
      await expect(database.transaction((tx) => assertHeld(tx, [job], systemClock))).resolves.toBeUndefined();
    }
  });

  it('is stopped once another has the lane, whatever became of its job', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' }, { runAt: 1 });
    await enqueue(database.queries, laned, { id: 'a2' }, { runAt: 2 });
    const stale = await claimed(database, ended);
    const next = await claimed(database);
    expect(next.fence).toBe((stale.fence ?? 0) + 1);
    await expect(database.transaction((tx) => assertHeld(tx, [stale], systemClock))).rejects.toThrow(
      LeaseLost,
    );
    // Its own lease renewed behind the other's back does not help it: the lane is what counts.
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

  it('is stopped once its lease has run out, though nobody has taken it', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    const late = await claimed(database, ended);
    await expect(database.transaction((tx) => assertHeld(tx, [late], systemClock))).rejects.toThrow(
      LeaseLost,
    );
  });

  it('says nothing about a job that it lost', async () => {
    const database = await open();
    await enqueue(database.queries, plain, { id: 'a' });
    const told = vi.fn();
    const run = async (_payload: unknown, context: JobContext): Promise<void> => {
      await database.queries.updateTable('jobs').set({ lease_until: 0 }).execute();
      await database.transaction((tx) => context.assertHeld(tx)).catch(told);
      throw told.mock.calls[0]?.[0] as Error;
    };
    const worker = openWorker({
      database,
      tasks: [handle(plain, run)],
      log: silentLog,
      clock: systemClock,
      concurrency: 1,
    });
    worker.start();
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), 5_000);
    await worker.stop(1_000);
    expect(told.mock.calls[0]?.[0]).toBeInstanceOf(LeaseLost);
    expect(await jobs(database.queries)).toMatchObject([{ state: 'running', lease_until: 0, attempts: 1 }]);
  });

  itWhen(dialect === 'postgres')(
    'keeps others away until its transaction ends, even past its lease',
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
