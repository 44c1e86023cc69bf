import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Database } from '../../../src/foundation/db/database.ts';
import { enqueue, enqueueAll } from '../../../src/foundation/jobs/enqueue.ts';
import { type BatchJob, handle, handleBatch, type JobContext } from '../../../src/foundation/jobs/handler.ts';
import { defineTask } from '../../../src/foundation/jobs/task.ts';
import { openWorker, type Worker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { InvalidInput, RateLimited } from '../../../src/foundation/kernel/errors.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { jobs } from '../../support/jobs/queue.ts';
import { silentLog } from '../../support/silent-log.ts';

const payload = z.object({ n: z.number(), lane: z.string() });
type Payload = z.infer<typeof payload>;
const batched = defineTask({ name: 'batched', payload, lane: ({ lane }) => lane, batch: 100 });
const edits = defineTask({ ...batched, name: 'edits', key: ({ n }) => String(n) });
const free = defineTask({ name: 'free', payload, batch: 10 });

type Handler = (jobs: readonly BatchJob<Payload>[], context: JobContext) => Promise<void>;

async function inLane(database: Database, count: number, lane = 'a', task = batched): Promise<void> {
  const payloads = Array.from({ length: count }, (_, n) => ({ n, lane }));
  await database.transaction((tx) => enqueueAll(tx, task, payloads));
}

/**
 * Runs waiting jobs until the queue looks as expected. `calls` holds the numbers that each call of the handler
 * received.
 */
async function work(
  database: Database,
  handler: Handler,
  until: (worker: Worker) => Promise<unknown>,
  task = batched,
): Promise<number[][]> {
  const calls: number[][] = [];
  const bound = handleBatch(task, async (batch, context) => {
    calls.push(batch.map((job) => job.payload.n));
    await handler(batch, context);
  });
  const worker = openWorker({
    database,
    tasks: [bound],
    log: silentLog,
    clock: systemClock,
    concurrency: 4,
  });
  worker.start();
  try {
    await until(worker);
  } finally {
    await worker.stop(0);
  }
  return calls;
}

const empty = (database: Database) => () =>
  vi.waitFor(async () => expect(await jobs(database.queries)).toEqual([]), 120_000);

describeEachDatabase('a batch', (open) => {
  it('takes jobs of one lane in order, up to its limit, under a fence that rises with each batch', async () => {
    const database = await open();
    await inLane(database, 250);
    const fences: (number | undefined)[] = [];
    const calls = await work(database, async (_, { fence }) => void fences.push(fence), empty(database));
    expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(calls.flat()).toEqual(Array.from({ length: 250 }, (_, n) => n));
    expect(fences).toEqual([1, 2, 3]);
  });

  it('does not mix lanes', async () => {
    const database = await open();
    for (const lane of ['a', 'b', 'c']) await inLane(database, 5, lane);
    const lanes: string[] = [];
    const collect: Handler = async (batch) =>
      void lanes.push([...new Set(batch.map((job) => job.payload.lane))].join());
    await work(database, collect, empty(database));
    expect(lanes.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('also contains jobs without a lane, none of them twice', async () => {
    const database = await open();
    await inLane(database, 95, '-', free);
    const calls = await work(database, async () => {}, empty(database), free);
    expect(calls.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 95 }, (_, n) => n));
    expect(Math.max(...calls.map(({ length }) => length))).toBe(10);
  });

  it('that fails runs its jobs one by one, once, and only the bad one becomes dead', async () => {
    const database = await open();
    await inLane(database, 5);
    const handler: Handler = async (batch) => {
      if (batch.some((job) => job.payload.n === 2)) throw new InvalidInput('The issue does not exist.');
    };
    const calls = await work(database, handler, () =>
      vi.waitFor(
        async () => expect(await jobs(database.queries)).toMatchObject([{ state: 'dead' }]),
        120_000,
      ),
    );
    expect(calls).toEqual([[0, 1, 2, 3, 4], [0], [1], [2], [3], [4]]);
    expect(await jobs(database.queries)).toMatchObject([
      { payload: '{"n":2,"lane":"a"}', attempts: 1, last_error: 'The issue does not exist.' },
    ]);
    const [lane] = await database.queries.selectFrom('lanes').selectAll().execute();
    expect(lane).toEqual({ lane: 'a', lease_token: null, lease_until: null, fence: 1 });
  });

  it('does not fail because of one invalid payload', async () => {
    const database = await open();
    await inLane(database, 3);
    const bad = (await jobs(database.queries))[1]?.id ?? '';
    await database.queries.updateTable('jobs').set({ payload: '{"n":"?"}' }).where('id', '=', bad).execute();
    const calls = await work(
      database,
      async () => {},
      () =>
        vi.waitFor(
          async () => expect(await jobs(database.queries)).toMatchObject([{ id: bad, state: 'dead' }]),
          120_000,
        ),
    );
    expect(calls).toEqual([[0], [2]]);
  });

  it('holds its lane while its jobs run one by one', async () => {
    const database = await open();
    await inLane(database, 3);
    const held: (string | null)[] = [];
    const handler: Handler = async (batch, context) => {
      if (batch.length > 1) throw new Error('try them alone');
      await database.transaction((tx) => context.assertHeld(tx));
      const lane = await database.queries.selectFrom('lanes').selectAll().executeTakeFirst();
      held.push(lane?.lease_token ?? null);
    };
    await work(database, handler, empty(database));
    expect(held).toHaveLength(3);
    expect(new Set(held).size).toBe(1);
    expect(held).not.toContain(null);
  });

  it('detects that another worker has taken its lane while its jobs run one by one', async () => {
    const database = await open();
    await inLane(database, 3);
    const held: number[] = [];
    const errors: string[] = [];
    const handler: Handler = async (batch, context) => {
      if (batch.length > 1) {
        await database.queries.updateTable('lanes').set({ lease_token: 'of another', fence: 99 }).execute();
        throw new Error('try them alone');
      }
      const look = database.transaction((tx) => context.assertHeld(tx));
      await look.then(
        () => held.push(batch.length),
        (error: Error) => errors.push(error.constructor.name),
      );
      await look;
    };
    await work(database, handler, () =>
      vi.waitFor(() => expect(errors.length + held.length).toBe(3), 120_000),
    );
    expect([held, errors]).toEqual([[], ['LeaseLost', 'LeaseLost', 'LeaseLost']]);
  });

  it('waits as a whole when the service asks to wait', async () => {
    const database = await open();
    await inLane(database, 3);
    const calls = await work(
      database,
      async () => {
        throw new RateLimited('The tracker asks to wait.', { retryAfter: 60 });
      },
      () =>
        vi.waitFor(async () => {
          const rows = await jobs(database.queries);
          expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual(
            Array.from({ length: 3 }, () => ['ready', 1]),
          );
        }, 120_000),
    );
    expect(calls).toEqual([[0, 1, 2]]);
  });

  it('keeps an edit that arrives while it runs', async () => {
    const database = await open();
    await inLane(database, 2, 'a', edits);
    let edited = false;
    const handler: Handler = async () => {
      if (edited) return;
      edited = true;
      await enqueue(database.queries, edits, { n: 1, lane: 'a' });
    };
    const calls = await work(database, handler, empty(database), edits);
    expect(calls).toEqual([[0, 1], [1]]);
  });

  it('is released as a whole by a worker that stops', async () => {
    const database = await open();
    await inLane(database, 3);
    const started = Promise.withResolvers<void>();
    const handler: Handler = async (_, { signal }) => {
      started.resolve();
      await sleep(5_000, undefined, { signal });
    };
    const calls = await work(database, handler, () => started.promise);
    expect(calls).toEqual([[0, 1, 2]]);
    const rows = await jobs(database.queries);
    expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual(
      Array.from({ length: 3 }, () => ['ready', 0]),
    );
  });
});

it('a batch task is bound as a batch, and its size is limited', () => {
  expect(() => handle(batched, async () => {})).toThrow(/handleBatch/);
  expect(() => defineTask({ ...batched, batch: 101 })).toThrow(/2 to 100/);
});
