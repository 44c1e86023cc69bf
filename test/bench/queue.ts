import { join } from 'node:path';
import { sql } from 'kysely';
import { z } from 'zod';
import { migrations } from '../../migrations/index.ts';
import type { Database, DatabaseOptions } from '../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { enqueue, enqueueAll } from '../../src/foundation/jobs/enqueue.ts';
import { handle, handleBatch } from '../../src/foundation/jobs/handler.ts';
import { defineTask } from '../../src/foundation/jobs/task.ts';
import { openWorker } from '../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { metricsOff } from '../../src/foundation/telemetry/metrics.ts';
import { tracingOff } from '../../src/foundation/telemetry/tracer.ts';
import { findServerBinaries, startServer } from '../support/database/postgres-server.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { median } from './statistics.ts';
import { freshPostgres } from './support/fresh-postgres.ts';
import { enqueued, measureGraphile, measurePlainjob, perSecond } from './support/queue-anchors.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/queue.ts [sqlite|postgres]`: measures jobs per second of a prefilled queue with handlers that do
 * nothing, from the first start to the last outcome on disk, compared with graphile-worker and plainjob; rounds are
 * interleaved.
 */
const rounds = sized(5, 1);
const payload = z.object({ n: z.number() });
const single = defineTask({ name: 'single', payload });
const batched = defineTask({ name: 'batched', payload, batch: 100 });
const inLane = defineTask({ name: 'in-lane', payload, batch: 100, lane: ({ n }) => `lane-${n % 20}` });
type BenchTask = typeof single;

interface Speed {
  readonly enqueue: number;
  readonly run: number;
}

const chosen = process.argv[2];
if (chosen !== 'postgres') await measureSqlite();
const bin = chosen === 'sqlite' ? undefined : await findServerBinaries();
if (bin !== undefined) {
  const server = await startServer(bin);
  try {
    await measurePostgres(server.url);
  } finally {
    await server.stop();
  }
}

async function measureSqlite(): Promise<void> {
  const jobs = sized(600, 20);
  const options = (): DatabaseOptions => ({ dialect: 'sqlite', file: join(temporaryFolder(), 'orgctx.db') });
  const [own, ten, batches, anchor] = await interleaved([
    () => measure(options(), single, jobs, { concurrency: 1, oneByOne: jobs }),
    () => measure(options(), single, jobs, { concurrency: 10, oneByOne: 0 }),
    () => measure(options(), inLane, sized(10_000, 100), { concurrency: 10, oneByOne: 0 }),
    () => measurePlainjob(jobs),
  ]);
  const both = ({ enqueue: first, run }: Speed): number => 1 / (1 / first + 1 / run);
  console.log('SQLite, synchronous=FULL (jobs per second; ratio to plainjob with FULL)');
  report('enqueue + run, one at a time', own.map(both), anchor.map(both), [1, 1.5]);
  report(
    '  enqueue',
    own.map(({ enqueue: e }) => e),
    anchor.map(({ enqueue: e }) => e),
  );
  report(
    '  run, one at a time',
    own.map(({ run }) => run),
    anchor.map(({ run }) => run),
  );
  report(
    '  run, ten at once',
    ten.map(({ run }) => run),
    anchor.map(({ run }) => run),
  );
  report(
    '  run, 20 lanes in batches',
    batches.map(({ run }) => run),
    anchor.map(({ run }) => run),
  );
}

async function measurePostgres(server: string): Promise<void> {
  const [few, many] = sized([3_000, 15_000], [600, 1_000]);
  const ten = { concurrency: 10, oneByOne: enqueued };
  const [own, batches, lanes, anchor, local] = await interleaved([
    async () => measure(await freshPostgres(server), single, few, ten),
    async () => measure(await freshPostgres(server), batched, many, ten),
    async () => measure(await freshPostgres(server), inLane, many, ten),
    async () => measureGraphile((await freshPostgres(server)).url, few, false),
    async () => measureGraphile((await freshPostgres(server)).url, many, true),
  ]);
  const [runs, enqueues] = [({ run }: Speed) => run, ({ enqueue: e }: Speed) => e];
  console.log(
    'Postgres, 10 at once (jobs per second; ratio to graphile-worker, one by one and with localQueue 50)',
  );
  report('enqueue, one caller', own.map(enqueues), anchor.map(enqueues));
  report('run one by one', own.map(runs), anchor.map(runs), [1, 1.3]);
  report('run in batches', batches.map(runs), local.map(runs), [1.5, 2]);
  report('  20 lanes in batches', lanes.map(runs), local.map(runs), [1.5, 2]);
}

async function measure(
  options: DatabaseOptions,
  task: BenchTask,
  jobs: number,
  { concurrency, oneByOne }: { readonly concurrency: number; readonly oneByOne: number },
): Promise<Speed> {
  const database = await openDatabase(options, silentLog);
  await migrateToLatest(database, { migrations, log: silentLog });
  const enqueuing = performance.now();
  for (let n = 0; n < oneByOne; n += 1) await enqueue(database.queries, task, { n });
  const enqueueMs = performance.now() - enqueuing;
  const rest = Array.from({ length: jobs - oneByOne }, (_, n) => ({ n }));
  await database.transaction((tx) => enqueueAll(tx, task, rest));
  if (database.dialect === 'postgres') await sql`vacuum analyze`.execute(database.queries);
  const ms = await drain(database, task, jobs, concurrency);
  await database.close();
  return { enqueue: perSecond(oneByOne, enqueueMs), run: perSecond(jobs, ms) };
}

/** Drains the queue; returns its duration. The `record` metric counts a run once its outcome is committed. */
async function drain(
  database: Database,
  task: BenchTask,
  jobs: number,
  concurrency: number,
): Promise<number> {
  const all = Promise.withResolvers<number>();
  let [started, runs, handled, written] = [0, 0, 0, 0];
  const work = async (count: number): Promise<void> => {
    started ||= performance.now();
    runs += 1;
    handled += count;
  };
  const record = (): void => {
    written += 1;
    if (handled === jobs && written === runs) all.resolve(performance.now());
  };
  const bound =
    task.batch === undefined ? handle(task, () => work(1)) : handleBatch(task, (batch) => work(batch.length));
  const worker = openWorker({
    database,
    tasks: [bound],
    log: silentLog,
    clock: systemClock,
    concurrency,
    telemetry: { tracer: tracingOff, metrics: { ...metricsOff, record } },
  });
  worker.start();
  const ended = await all.promise;
  await worker.stop(1_000);
  return ended - started;
}

async function interleaved<const Forms extends readonly (() => Promise<Speed>)[]>(
  forms: Forms,
): Promise<{ [Form in keyof Forms]: Speed[] }> {
  const speeds = forms.map((): Speed[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, form] of forms.entries()) {
      const speed = await form();
      // The first round warms up.
      if (round > 0) speeds[index]?.push(speed);
    }
  }
  return speeds as { [Form in keyof Forms]: Speed[] };
}

function report(
  what: string,
  own: readonly number[],
  anchor: readonly number[],
  thresholds?: readonly [number, number],
): void {
  // The ratio is taken per round, because other load on the machine then affects both alike.
  const ratio = median(own.map((rate, round) => rate / (anchor[round] ?? Number.NaN)));
  const outcome =
    thresholds && ` must ${thresholds[0]}, goal ${thresholds[1]}: ${outcomeOf(ratio, thresholds)}`;
  const rates = `${median(own).toFixed(0).padStart(7)} to ${median(anchor).toFixed(0).padStart(6)}`;
  console.log(`${what.padEnd(30)} ${rates}  ${ratio.toFixed(2)}x${outcome ?? ''}`);
}

function outcomeOf(ratio: number, [must, goal]: readonly [number, number]): string {
  if (ratio >= goal) return 'goal';
  return ratio >= must ? 'holds' : 'MISSED';
}
