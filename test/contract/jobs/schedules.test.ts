import { expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { handle } from '../../../src/foundation/jobs/handler.ts';
import { enqueueSchedules } from '../../../src/foundation/jobs/schedule/enqueue-schedules.ts';
import { defineSchedule } from '../../../src/foundation/jobs/schedule/schedule.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { describeEachDatabase, itWhen, type TestDatabase } from '../../support/database/databases.ts';
import { jobs, keyed, plain } from '../../support/jobs/queue.ts';
import { silentLog } from '../../support/silent-log.ts';

const hour = 3_600_000;
const hourly = defineSchedule({ name: 'hourly', cron: '0 * * * *', task: plain, payload: { id: 'nightly' } });

/** Sets the time at which the schedule was last enqueued. */
async function lastEnqueued(database: TestDatabase, at: number): Promise<void> {
  await database.queries.deleteFrom('schedules').execute();
  await database.queries.insertInto('schedules').values({ name: 'hourly', last_slot: at }).execute();
}

describeEachDatabase('a schedule', (open, dialect) => {
  it('starts when it is first seen, without a job for earlier times', async () => {
    const database = await open();
    const before = Date.now();
    await enqueueSchedules(database, [hourly], systemClock);
    const [row] = await database.queries.selectFrom('schedules').selectAll().execute();
    expect(row?.last_slot).toBeGreaterThan(before - 5_000);
    expect(await jobs(database.queries)).toEqual([]);
  });

  it('enqueues each time once, however many workers check concurrently', async () => {
    const database = await open();
    await lastEnqueued(database, Date.now() - hour);
    // On SQLite a process has one connection. Several in one thread would wait for each other until their time-outs.
    const count = dialect === 'postgres' ? 3 : 0;
    const others = await Promise.all(
      Array.from({ length: count }, () => openDatabase(database.options, silentLog)),
    );
    try {
      const workers = [database, database, ...others];
      await Promise.all(workers.map((each) => enqueueSchedules(each, [hourly], systemClock)));
    } finally {
      await Promise.all(others.map((other) => other.close()));
    }
    expect(await jobs(database.queries)).toMatchObject([{ task: 'plain', payload: '{"id":"nightly"}' }]);
  });

  it('enqueues one job for all the times that no worker checked', async () => {
    const database = await open();
    await lastEnqueued(database, Date.now() - 100 * hour);
    for (let look = 0; look < 3; look += 1) await enqueueSchedules(database, [hourly], systemClock);
    expect(await jobs(database.queries)).toHaveLength(1);
    const [row] = await database.queries.selectFrom('schedules').selectAll().execute();
    expect((row?.last_slot ?? 1) % hour).toBe(0);
    expect(row?.last_slot).toBeGreaterThan(Date.now() - hour - 5_000);
  });

  it('starts again when its last time is far ahead, because the clock was set back', async () => {
    const database = await open();
    await lastEnqueued(database, Date.now() + 100 * hour);
    const everySecond = defineSchedule({ ...hourly, cron: '* * * * * *', payload: { id: 'nightly' } });
    await enqueueSchedules(database, [everySecond], systemClock);
    const [row] = await database.queries.selectFrom('schedules').selectAll().execute();
    expect(row?.last_slot).toBeLessThan(Date.now() + 5_000);
    expect(await jobs(database.queries)).toEqual([]);
    await vi.waitFor(async () => {
      await enqueueSchedules(database, [everySecond], systemClock);
      expect(await jobs(database.queries)).not.toEqual([]);
    }, 120_000);
  });

  it('keeps a last time that another worker has enqueued slightly early', async () => {
    const database = await open();
    const next = (Math.floor(Date.now() / hour) + 1) * hour;
    await lastEnqueued(database, next);
    await enqueueSchedules(database, [hourly], systemClock);
    const [row] = await database.queries.selectFrom('schedules').selectAll().execute();
    expect(row?.last_slot).toBe(next);
  });

  it('stays due when its job could not be enqueued', async () => {
    const database = await open();
    await lastEnqueued(database, Date.now() - hour);
    const unwritable = defineSchedule({
      ...hourly,
      payload: { id: 'nightly' },
      task: {
        ...keyed,
        key: () => {
          throw new Error('no key');
        },
      },
    });
    await expect(enqueueSchedules(database, [unwritable], systemClock)).rejects.toThrow('no key');
    await enqueueSchedules(database, [hourly], systemClock);
    expect(await jobs(database.queries)).toHaveLength(1);
  });

  itWhen(dialect === 'postgres')('uses the clock of the database, not of the host', async () => {
    const database = await open();
    await lastEnqueued(database, Date.now());
    await enqueueSchedules(database, [hourly], () => Date.now() + 24 * hour);
    expect(await jobs(database.queries)).toEqual([]);
  });

  it('is run by a worker', async () => {
    const database = await open();
    const run = vi.fn(async () => {});
    const often = defineSchedule({ name: 'often', cron: '* * * * * *', task: plain, payload: { id: 'a' } });
    const worker = openWorker({
      database,
      tasks: [handle(plain, run)],
      schedules: [often],
      log: silentLog,
      clock: systemClock,
      concurrency: 1,
    });
    worker.start();
    try {
      await vi.waitFor(() => expect(run).toHaveBeenCalled(), 120_000);
    } finally {
      await worker.stop(0);
    }
  });
});

it('a schedule with an invalid pattern cannot be declared', () => {
  expect(() => defineSchedule({ ...hourly, cron: '61 * * * *' })).toThrow();
  expect(() => defineSchedule({ ...hourly, cron: '0 0 30 2 *' })).toThrow(/no time in the future/);
});
