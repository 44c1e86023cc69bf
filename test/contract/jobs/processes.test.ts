import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { Database, DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { newId } from '../../../src/foundation/kernel/ids.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';
import { claim, claimJob, completeJob, jobs, laned, plain } from '../../support/jobs/queue.ts';
import { laneTask, timedTask } from '../../support/jobs/queue-worker.ts';
import { killProcess } from '../../support/kill/kill-process.ts';
import { silentLog } from '../../support/silent-log.ts';

interface Line {
  readonly what: string;
  readonly n: number;
  readonly lane: string;
  readonly pid: string;
}

const children: ChildProcess[] = [];
const journals: string[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) await killProcess(child);
  for (const journal of journals.splice(0)) await rm(journal, { force: true });
});

async function newJournal(): Promise<string> {
  const journal = join(tmpdir(), `orgctx-journal-${newId()}`);
  await writeFile(journal, '');
  journals.push(journal);
  return journal;
}

async function read(journal: string): Promise<readonly Line[]> {
  const text = await readFile(journal, 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [what = '', n, lane = '', pid = ''] = line.split(' ');
      return { what, n: Number(n), lane, pid };
    });
}

function startWorker(options: DatabaseOptions, journal: string, leaseMs: number, aheadMs = 0): ChildProcess {
  const script = join(import.meta.dirname, '../../support/jobs/queue-worker.ts');
  const args = [script, JSON.stringify(options), journal, String(leaseMs), '4', String(aheadMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  return child;
}

describeEachDatabase('workers in several processes', (open, dialect) => {
  it('resume a job of a killed worker after its lease', async () => {
    const database = await open();
    const journal = await newJournal();
    await enqueue(database.queries, timedTask, { n: 1, ms: 1_000 });
    const first = startWorker(database.options, journal, 600);
    await vi.waitFor(async () => expect(await read(journal)).toHaveLength(1), 120_000);
    await killProcess(first);
    expect(await jobs(database.queries)).toMatchObject([{ state: 'running', attempts: 1 }]);

    startWorker(database.options, journal, 600);
    await vi.waitFor(async () => expect(await jobs(database.queries)).toEqual([]), 120_000);
    expect((await read(journal)).map(({ what }) => what)).toEqual(['start', 'start', 'end']);
  });

  // The lease is longer than the pauses of a loaded machine: an expired lease lets the next worker in.
  it('lose no job and do not overlap in a lane under kills', async () => {
    const database = await open();
    const journal = await newJournal();
    for (let n = 0; n < 45; n += 1) {
      await enqueue(database.queries, laneTask, { n, ms: 5, lane: 'abc'[n % 3] ?? 'a' });
    }
    const workers = [
      startWorker(database.options, journal, 2_000),
      startWorker(database.options, journal, 2_000),
    ];
    for (let kills = 0; kills < 2; kills += 1) {
      const before = (await read(journal)).length;
      await vi.waitFor(async () => expect((await read(journal)).length).toBeGreaterThan(before + 3), 120_000);
      const victim = workers.shift();
      if (victim !== undefined) await killProcess(victim);
      workers.push(startWorker(database.options, journal, 2_000));
    }
    await vi.waitFor(async () => expect(await jobs(database.queries)).toEqual([]), 120_000);
    const lines = await read(journal);
    expect(new Set(lines.filter(({ what }) => what === 'end').map(({ n }) => n)).size).toBe(45);
    expect(overlaps(lines)).toEqual([]);
  });

  // On SQLite a process has one connection: it competes only with the processes above.
  const itOnPostgres = itWhen(dialect === 'postgres');

  itOnPostgres(
    'on hosts whose clocks are hours apart start no job early and take no leased job',
    async () => {
      const database = await open();
      const journal = await newJournal();
      const hour = 3_600_000;
      // First in the order, if it were due.
      const first = { ...timedTask, priority: 5 };
      await enqueue(database.queries, first, { n: 0, ms: 1 }, { runAt: Date.now() + hour / 2 });
      for (let n = 1; n <= 8; n += 1) await enqueue(database.queries, timedTask, { n, ms: 1_500 });
      for (const ahead of [5 * hour, -5 * hour]) startWorker(database.options, journal, 3_000, ahead);
      await vi.waitFor(async () => expect(await jobs(database.queries)).toHaveLength(1), 120_000);
      const lines = await read(journal);
      for (const what of ['start', 'end']) {
        const numbers = lines.filter((line) => line.what === what).map(({ n }) => n);
        expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      }
    },
  );

  itOnPostgres('take each of 300 jobs once over 8 connections, past 20 that a ninth has locked', async () => {
    const database = await open();
    await database.transaction(async (tx) => {
      for (let n = 0; n < 320; n += 1) await enqueue(tx, plain, { id: String(n) });
    });
    const connections = await Promise.all(
      Array.from({ length: 8 }, () => openDatabase(database.options, silentLog)),
    );
    const taken: string[] = [];
    try {
      await holdingFirst(database, 20, () =>
        Promise.all(
          connections.map(async (connection) => {
            for (;;) {
              const job = await claimJob(connection, claim);
              if (job === undefined) return;
              taken.push(job.id);
              expect(await completeJob(connection, job)).toBe(true);
            }
          }),
        ),
      );
    } finally {
      await Promise.all(connections.map((connection) => connection.close()));
    }
    expect(taken).toHaveLength(300);
    expect(new Set(taken).size).toBe(300);
  });

  itOnPostgres('take one job of a lane at a time over 8 connections', async () => {
    const database = await open();
    for (let n = 0; n < 20; n += 1) await enqueue(database.queries, laned, { id: `${'ab'[n % 2]}${n}` });
    const connections = await Promise.all(
      Array.from({ length: 8 }, () => openDatabase(database.options, silentLog)),
    );
    try {
      for (let round = 0; round < 5; round += 1) {
        const claims = await Promise.all(connections.map((connection) => claimJob(connection, claim)));
        const taken = claims.filter((job) => job !== undefined);
        expect(taken).toHaveLength(2);
        expect(new Set(taken.map(({ lane }) => lane))).toEqual(new Set(['a', 'b']));
        for (const job of taken) await completeJob(database, job);
      }
    } finally {
      await Promise.all(connections.map((connection) => connection.close()));
    }
  });
});

/** Checks the completed runs in the order of the journal: each start in a lane must be followed by its own end. */
function overlaps(lines: readonly Line[]): readonly Line[] {
  const ended = new Set(lines.filter(({ what }) => what === 'end').map(runOf));
  const openIn = new Map<string, string>();
  return lines.filter((line) => {
    if (!ended.has(runOf(line))) return false;
    const current = openIn.get(line.lane);
    if (line.what === 'start') openIn.set(line.lane, runOf(line));
    else openIn.delete(line.lane);
    return current !== (line.what === 'start' ? undefined : runOf(line));
  });
}

function runOf({ n, pid }: Line): string {
  return `${n} ${pid}`;
}

/** Runs while an open transaction locks the most urgent jobs, like those that another claim is taking. */
async function holdingFirst(database: Database, count: number, work: () => Promise<unknown>): Promise<void> {
  const held = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const holding = database.transaction(async (tx) => {
    await tx
      .selectFrom('jobs')
      .select('id')
      .orderBy('run_at')
      .orderBy('id')
      .limit(count)
      .forUpdate()
      .execute();
    held.resolve();
    await done.promise;
  });
  await held.promise;
  const waited = new AbortController();
  const timeout = sleep(10_000, undefined, { signal: waited.signal }).then(
    () => {
      throw new Error('A claim waits for a job that another one holds.');
    },
    () => undefined,
  );
  try {
    await Promise.race([work(), timeout]);
  } finally {
    waited.abort();
    done.resolve();
    await holding;
  }
}
