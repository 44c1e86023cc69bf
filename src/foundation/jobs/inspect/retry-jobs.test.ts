import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeEachDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import { claimed, ended, jobs, keyed, laned, plain } from '../../../../test/support/jobs/queue.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { JobId } from '../../kernel/ids.ts';
import { enqueue } from '../enqueue.ts';
import { markDead } from '../lease/lease.ts';
import { reapExpiredLeases } from '../lease/reap.ts';
import type { Task } from '../task.ts';
import { listJobs } from './list-jobs.ts';
import { discardAllDeadJobs, discardJobs, retryAllDeadJobs, retryDeadJobs } from './retry-jobs.ts';

type Payload = { id: string };

async function dead(database: TestDatabase, task: Task<Payload>, id: string): Promise<JobId> {
  // Ids of the same millisecond have no order.
  await sleep(2);
  const jobId = await enqueue(database.queries, task, { id });
  const job = await claimed(database);
  expect(job.id).toBe(jobId);
  await markDead(database, job, `${id} went wrong`, systemClock);
  return jobId;
}

async function all<Result>(results: AsyncIterable<Result>): Promise<readonly Result[]> {
  const seen: Result[] = [];
  for await (const result of results) seen.push(result);
  return seen;
}

describeEachDatabase('dead jobs', (open) => {
  it('are listed page by page, oldest first, by state and task', async () => {
    const database = await open();
    const ids = [];
    for (const id of ['a', 'b', 'c']) ids.push(await dead(database, plain, id));
    const ofKeyed = await dead(database, keyed, 'd');
    await sleep(2);
    const ready = await enqueue(database.queries, plain, { id: 'e' });
    const idsOf = async (filter: Parameters<typeof listJobs>[1]) =>
      (await listJobs(database.queries, filter)).items.map(({ id }) => id);
    const first = await listJobs(database.queries, { state: 'dead', limit: 2 });
    expect(first.items).toMatchObject([
      { id: ids[0], task: 'plain', state: 'dead', attempts: 1, lastError: 'a went wrong' },
      { id: ids[1], runAt: expect.any(Number) },
    ]);
    expect(Object.keys(first.items[0] ?? {})).not.toContain('payload');
    const rest = { state: 'dead', limit: 2, cursor: first.nextCursor ?? undefined } as const;
    expect(await listJobs(database.queries, rest)).toMatchObject({
      items: [{ id: ids[2] }, { id: ofKeyed }],
      nextCursor: null,
    });
    expect(await idsOf({ state: 'dead', task: 'keyed' })).toEqual([ofKeyed]);
    expect(await idsOf({ state: 'ready' })).toEqual([ready]);
    expect(await idsOf({})).toEqual([...ids, ofKeyed, ready]);
    await expect(idsOf({ limit: 201 })).rejects.toThrow('limit');
    await expect(idsOf({ cursor: 'nonsense' })).rejects.toThrow('cursor');
  });

  it('run again at once with fresh attempts', async () => {
    const database = await open();
    const id = await dead(database, laned, 'a1');
    expect(await retryDeadJobs(database, [id])).toEqual({ retried: [id], replaced: [] });
    const before = await jobs(database.queries);
    expect(before).toMatchObject([{ id, state: 'ready', attempts: 0, last_error: null }]);
    expect(await claimed(database)).toMatchObject({ id, attempts: 1, lane: 'a' });
  });

  it('are replaced by a ready job of the same key, which becomes due at once, or by the newest dead job of that key', async () => {
    const database = await open();
    const older = await dead(database, keyed, 'same');
    const newer = await dead(database, keyed, 'same');
    expect(await retryDeadJobs(database, [older, newer])).toEqual({ retried: [newer], replaced: [older] });
    expect(await jobs(database.queries)).toMatchObject([{ id: newer, state: 'ready' }]);
    await markDead(database, await claimed(database), 'again', systemClock);
    const twin = await enqueue(database.queries, keyed, { id: 'same' }, { runAt: Date.now() + 900_000 });
    expect(await retryDeadJobs(database, [newer])).toEqual({ retried: [], replaced: [newer] });
    expect(await jobs(database.queries)).toMatchObject([{ id: twin, state: 'ready' }]);
    expect((await claimed(database)).id).toBe(twin);
  });

  it('are retried all or none: an unknown, ready or running job among them changes nothing', async () => {
    const database = await open();
    const id = await dead(database, plain, 'a');
    const other = await enqueue(database.queries, plain, { id: 'b' });
    const before = await jobs(database.queries);
    await expect(retryDeadJobs(database, [id, other])).rejects.toThrow(/is ready and will run/);
    const unknown = '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10';
    await expect(retryDeadJobs(database, [id, unknown])).rejects.toThrow(`no job ${unknown}`);
    await expect(retryDeadJobs(database, [id, "x' or '1"])).rejects.toThrow("no job x' or '1");
    expect(await jobs(database.queries)).toEqual(before);
    await claimed(database);
    await expect(retryDeadJobs(database, [other])).rejects.toThrow(/is running/);
  });

  it('can be discarded, as can ready jobs, but not running jobs', async () => {
    const database = await open();
    const gone = await dead(database, plain, 'a');
    const running = await enqueue(database.queries, plain, { id: 'b' });
    await claimed(database);
    const waiting = await enqueue(database.queries, plain, { id: 'c' });
    await expect(discardJobs(database, [gone, running])).rejects.toThrow(
      /is running: its worker may be writing.*stop the worker/,
    );
    expect(await jobs(database.queries)).toHaveLength(3);
    await discardJobs(database, [gone, waiting]);
    expect(await jobs(database.queries)).toMatchObject([{ id: running, state: 'running' }]);
    await expect(discardJobs(database, [gone])).rejects.toThrow(`no job ${gone}`);
  });

  it('can be retried and discarded all, or those of one task', async () => {
    const database = await open();
    await database.transaction(async (tx) => {
      for (let n = 0; n < 450; n += 1) await enqueue(tx, plain, { id: String(n) });
      await tx.updateTable('jobs').set({ state: 'dead' }).execute();
    });
    const ofKeyed = await dead(database, keyed, 'x');
    expect(await all(retryAllDeadJobs(database, 'keyed'))).toEqual([{ retried: [ofKeyed], replaced: [] }]);
    const slices = await all(retryAllDeadJobs(database));
    expect(slices.map(({ retried }) => retried.length)).toEqual([200, 200, 50]);
    expect((await listJobs(database.queries, { state: 'dead' })).items).toEqual([]);
    await database.queries.updateTable('jobs').set({ state: 'dead' }).execute();
    expect((await all(discardAllDeadJobs(database, 'plain'))).flat()).toHaveLength(450);
    expect(await jobs(database.queries)).toMatchObject([{ id: ofKeyed, state: 'dead' }]);
    expect(await all(discardAllDeadJobs(database))).toEqual([[ofKeyed]]);
    expect(await all(discardAllDeadJobs(database))).toEqual([]);
  });

  it('can be retried when their worker was lost during the last attempt', async () => {
    const database = await open();
    const id = await enqueue(database.queries, plain, { id: 'a' });
    await claimed(database, ended);
    await database.queries.updateTable('jobs').set({ attempts: 12, lost_alone: 0 }).execute();
    expect(await reapExpiredLeases(database, systemClock)).toBe(1);
    expect(await retryDeadJobs(database, [id])).toEqual({ retried: [id], replaced: [] });
  });
});
