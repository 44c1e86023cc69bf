import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Database } from '../../../src/foundation/db/database.ts';
import { claimJobs } from '../../../src/foundation/jobs/claim/claim.ts';
import { enqueue, enqueueAll } from '../../../src/foundation/jobs/enqueue.ts';
import { queueStatus } from '../../../src/foundation/jobs/inspect/queue-status.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { claim, claimed, laned, plain } from '../../support/jobs/queue.ts';

async function fill(database: Database, count: number, lane: string): Promise<void> {
  const numbers =
    database.dialect === 'postgres'
      ? sql`generate_series(1, ${count}::int) as numbers(n)`
      : sql`(with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count}) select n from numbers)`;
  await sql`
    insert into jobs (id, task, lane, priority, payload, state, run_at, attempts, max_attempts, created_at)
    select 'filler-' || cast(${lane} as text) || '-' || n, 'laned', cast(${lane} as text), 0, '{"id":"a"}', 'ready', n, 0, 12, n
    from ${numbers}`.execute(database.queries);
}

/** Returns the fastest of several runs, because other load only adds time. */
async function fastestMs(tries: number, work: () => Promise<void>): Promise<number> {
  const seen: number[] = [];
  for (let run = 0; run < tries; run += 1) {
    const started = performance.now();
    await work();
    seen.push(performance.now() - started);
  }
  return Math.min(...seen);
}

describeEachDatabase('a long queue', (open) => {
  it('with 100,000 jobs in two busy lanes still returns other work at once, by priority', async () => {
    const database = await open();
    const claimNothing = async (): Promise<void> => expect(await claimJobs(database, claim, 4)).toEqual([]);
    for (const lane of ['a', 'b']) await fill(database, 50_000, lane);
    // Postgres does this automatically within a minute.
    if (database.dialect === 'postgres') await sql`vacuum analyze jobs`.execute(database.queries);
    expect(new Set([(await claimed(database)).lane, (await claimed(database)).lane])).toEqual(
      new Set(['a', 'b']),
    );

    // A claim that read every waiting job would take at least as long as this query.
    const maxMs = await fastestMs(25, async () => {
      await sql`select count(*) from jobs where payload <> 'x'`.execute(database.queries);
    });
    expect(await fastestMs(25, claimNothing)).toBeLessThan(maxMs);
    await database.transaction((tx) =>
      enqueueAll(
        tx,
        plain,
        Array.from({ length: 25 }, (_, n) => ({ id: String(n) })),
      ),
    );
    await enqueue(database.queries, { ...laned, priority: 5 }, { id: 'c1' });
    expect(await claimed(database)).toMatchObject({ lane: 'c', priority: 5 });
    const fastest = await fastestMs(25, async () => expect((await claimed(database)).task).toBe('plain'));
    expect(fastest).toBeLessThan(maxMs);
  });

  it('reports how many jobs wait and for how long', async () => {
    const database = await open();
    expect(await queueStatus(database.queries, systemClock)).toEqual({
      ready: 0,
      running: 0,
      dead: 0,
      oldestDueMs: 0,
    });
    await enqueue(database.queries, plain, { id: 'a' }, { runAt: Date.now() - 60_000 });
    await enqueue(database.queries, plain, { id: 'b' }, { runAt: Date.now() + 60_000 });
    await enqueue(database.queries, plain, { id: 'c' }, { runAt: Date.now() - 90_000 });
    await claimed(database);
    const status = await queueStatus(database.queries, systemClock);
    expect(status).toMatchObject({ ready: 2, running: 1, dead: 0 });
    expect(status.oldestDueMs).toBeGreaterThan(59_000);
    expect(status.oldestDueMs).toBeLessThan(80_000);
  });
});
