import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type RootOperationNode, sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import type { Queries } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { handle } from '../../../src/foundation/jobs/handler.ts';
import { enqueueSchedules } from '../../../src/foundation/jobs/schedule/enqueue-schedules.ts';
import type { Task } from '../../../src/foundation/jobs/task.ts';
import { completeJobs } from '../../../src/foundation/jobs/worker/complete-jobs.ts';
import { runJobs } from '../../../src/foundation/jobs/worker/run-jobs.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { type Metrics, metricsOff } from '../../../src/foundation/telemetry/metrics.ts';
import { tracingOff } from '../../../src/foundation/telemetry/tracer.ts';
import { describeEachDatabase, itWhen, type TestDatabase } from '../../support/database/databases.ts';
import { brief, claim, claimed, daily, jobs, keyed, laned, plain } from '../../support/jobs/queue.ts';
import { killAtEachWrite } from '../../support/kill/run-killed.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface JournalLine {
  readonly job: string;
  readonly state: string;
  readonly confirmed?: true;
}

/** The recorded state of each job, and the state of its pending transition, if any. */
async function expectedStates(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const states = new Map<string, readonly string[]>();
  for (const line of text.split('\n').slice(0, -1)) {
    const { job, state, confirmed } = JSON.parse(line) as JournalLine;
    states.set(job, confirmed ? [state] : [states.get(job)?.[0] ?? 'gone', state]);
  }
  return states;
}

async function actualStates(queries: Queries): Promise<ReadonlyMap<string, readonly string[]>> {
  const states = new Map<string, string[]>();
  for (const { payload, state } of await jobs(queries)) {
    const { id } = JSON.parse(payload) as { id: string };
    states.set(id, [...(states.get(id) ?? []), state]);
  }
  return states;
}

/** A lane is held exactly while one of its jobs is running. */
async function danglingLeases(queries: Queries): Promise<readonly unknown[]> {
  const { rows } = await sql`
    select lanes.lane, jobs.id from lanes
    full join jobs on jobs.lane = lanes.lane and jobs.lease_token = lanes.lease_token
    where (lanes.lease_token is not null and jobs.id is null)
      or (jobs.state = 'running' and jobs.lane is not null and lanes.lane is null)`.execute(queries);
  return rows;
}

/** Runs a new worker with its own connection until no work is left. Returns the ids that it handled. */
async function restart(database: TestDatabase): Promise<readonly string[]> {
  const handled: string[] = [];
  const own = await openDatabase(database.options, silentLog);
  const note = async ({ id }: { id: string }): Promise<void> => void handled.push(id);
  const tasks = [plain, keyed, laned, brief].map((task: Task<{ id: string }>) => handle(task, note));
  const worker = openWorker({
    database: own,
    tasks,
    log: silentLog,
    clock: systemClock,
    concurrency: 4,
    leaseMs: 300,
    heartbeatMs: 100,
  });
  try {
    await enqueueSchedules(own, [daily], systemClock);
    worker.start();
    await vi.waitFor(
      async () => expect((await jobs(database.queries)).filter(({ state }) => state !== 'dead')).toEqual([]),
      { timeout: 120_000, interval: 10 },
    );
  } finally {
    await worker.stop(1_000);
    await own.close();
  }
  return handled;
}

describeEachDatabase('a process killed between any two writes of the queue', (open, dialect) => {
  it('leaves no job missing, half done or stuck', async () => {
    const database = await open();
    const { queries } = database;
    const journal = join(temporaryFolder(), 'journal');
    const script = join(import.meta.dirname, '../../support/jobs/queue-program.ts');
    const prepare = async () => {
      for (const table of ['jobs', 'lanes', 'schedules'] as const) await queries.deleteFrom(table).execute();
      await rm(journal, { force: true });
      return { state: undefined, program: [script, JSON.stringify(database.options), journal] };
    };
    const writes = await killAtEachWrite(prepare, async () => {
      const [expected, actual] = [await expectedStates(journal), await actualStates(queries)];
      for (const job of actual.keys()) expect([...expected.keys()]).toContain(job);
      const wrong = [...expected].filter(([job, allowed]) => {
        const states = actual.get(job) ?? ['gone', 'due'];
        return !states.some((state) => allowed.includes(state));
      });
      expect(wrong).toEqual([]);
      expect(await danglingLeases(queries)).toEqual([]);

      const handled = await restart(database);
      const left = [...actual].flatMap(([job, states]) =>
        states.some((state) => state !== 'dead') ? [job] : [],
      );
      const due = expected.get('daily')?.[0] === 'due' && !actual.has('daily') ? ['daily'] : [];
      // A job whose last attempt was lost is dead.
      const buried = new Set(
        (await jobs(queries)).map(({ payload }) => (JSON.parse(payload) as { id: string }).id),
      );
      expect(new Set(handled)).toEqual(new Set([...left, ...due].filter((job) => !buried.has(job))));
      for (const job of buried) expect(['d', 'e']).toContain(job);
      expect(await danglingLeases(queries)).toEqual([]);
    });
    expect(writes).toBeGreaterThan(60);
  });

  // A statement and its reply. SQLite has no connection between the two.
  itWhen(dialect === 'postgres')(
    'with only the reply lost: the end of a job is reported as not recorded, not as a lost lease',
    async () => {
      const database = await open();
      await enqueue(database.queries, plain, { id: 'a' });
      const job = await claimed(database);
      const loseAnswers = {
        transformQuery: ({ node }: { node: RootOperationNode }) => node,
        transformResult: async () => {
          throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
        },
      };
      const lossy = { ...database, queries: database.queries.withPlugin(loseAnswers) };
      const outcomes: unknown[] = [];
      const record: Metrics['record'] = (_name, _value, attributes) =>
        void outcomes.push(attributes?.['outcome']);
      const run = {
        bound: handle(plain, async () => {}),
        jobs: [job],
        signal: new AbortController().signal,
      } as const;
      await runJobs(
        {
          database,
          clock: systemClock,
          log: silentLog,
          complete: (done) => completeJobs(lossy, done),
          telemetry: { tracer: tracingOff, metrics: { ...metricsOff, record } },
        },
        run,
      );
      expect(outcomes).toEqual(['unrecorded']);
      expect(await jobs(database.queries)).toEqual([]);
    },
  );

  it('leaves no lane locked when the lease of the lane outlasts that of its job', async () => {
    const database = await open();
    await enqueue(database.queries, laned, { id: 'a1' });
    await claimed(database, { ...claim, leaseMs: 1 });
    await database.queries
      .updateTable('lanes')
      .set((eb) => ({ lease_until: eb('lease_until', '+', 60_000) }))
      .execute();
    expect(await restart(database)).toEqual(['a1']);
  });
});
