import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { run, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { z } from 'zod';
import { migrations } from '../../migrations/index.ts';
import type { DatabaseOptions } from '../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { enqueue } from '../../src/foundation/jobs/enqueue.ts';
import { handle } from '../../src/foundation/jobs/handler.ts';
import { defineTask } from '../../src/foundation/jobs/task.ts';
import { openWorker } from '../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { findServerBinaries, startServer } from '../support/database/postgres-server.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { median } from './statistics.ts';
import { quietGraphile } from './support/queue-anchors.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/queue-latency.ts [sqlite|postgres]`: measures the milliseconds from enqueuing in one process to the
 * start of the handler in another, one job at a time with pauses; on Postgres compared with graphile-worker, rounds
 * interleaved.
 */
const [jobs, rounds, pauseMs] = sized([60, 3, 25], [3, 1, 25]);
const pollMs = 5;
const timed = defineTask({ name: 'timed', payload: z.object({ at: z.number() }) });

type Kind = 'own' | 'graphile';

const [, , first, kind] = process.argv;
if (first?.startsWith('{') === true) await work(JSON.parse(first) as DatabaseOptions, kind as Kind);
else await measure(first);

/** Runs the second process: reports the latency of each job to its parent. */
async function work(options: DatabaseOptions, of: Kind): Promise<void> {
  const report = async (at: number): Promise<void> => void process.send?.(wallMs() - at);
  if (of === 'graphile' && options.dialect === 'postgres') {
    const taskList = { timed: (payload: unknown) => report((payload as { at: number }).at) };
    await run({
      connectionString: options.url,
      concurrency: 10,
      logger: quietGraphile,
      noHandleSignals: true,
      taskList,
    });
  } else {
    const database = await openDatabase(options, silentLog);
    const tasks = [handle(timed, ({ at }) => report(at))];
    openWorker({ database, tasks, log: silentLog, clock: systemClock, concurrency: 10 }).start();
  }
  process.send?.('ready');
}

async function measure(chosen: string | undefined): Promise<void> {
  if (chosen !== 'postgres') {
    const file = join(temporaryFolder(), 'orgctx.db');
    const { own } = await latencies({ dialect: 'sqlite', file }, ['own']);
    const threshold = 4 * pollMs;
    const p95 = percentile(own, 0.95);
    console.log(
      `SQLite    ${describe(own)}; p95 must ${threshold} (${p95 <= threshold ? 'holds' : 'MISSED'}), goal 10`,
    );
  }
  const bin = chosen === 'sqlite' ? undefined : await findServerBinaries();
  if (bin === undefined) return;
  const server = await startServer(bin);
  const options = { dialect: 'postgres', url: server.url, poolSize: 10, applicationName: 'bench' } as const;
  const { own, graphile } = await latencies(options, ['own', 'graphile']);
  await server.stop();
  const ratio = percentile(own, 0.95) / percentile(graphile, 0.95);
  console.log(`Postgres  ${describe(own)}; graphile-worker ${describe(graphile)}`);
  console.log(
    `          p95 ${ratio.toFixed(2)} of graphile-worker's; must 1: ${ratio <= 1 ? 'holds' : 'MISSED'}`,
  );
}

async function latencies(options: DatabaseOptions, kinds: readonly Kind[]): Promise<Record<Kind, number[]>> {
  const database = await openDatabase(options, silentLog);
  await migrateToLatest(database, { migrations, log: silentLog });
  const pool = options.dialect === 'postgres' ? new pg.Pool({ connectionString: options.url }) : undefined;
  // `end` does not wait for the connections to close, so the server may still end one of them.
  pool?.on('error', () => undefined);
  if (pool !== undefined) await runMigrations({ pgPool: pool, logger: quietGraphile });
  const add: Record<Kind, () => Promise<unknown>> = {
    own: () => enqueue(database.queries, timed, { at: wallMs() }),
    graphile: async () =>
      pool?.query(`select graphile_worker.add_job('timed', $1::json)`, [{ at: wallMs() }]),
  };
  const workers = new Map<Kind, ChildProcess>();
  for (const each of kinds) {
    const worker = fork(fileURLToPath(import.meta.url), [JSON.stringify(options), each]);
    await once(worker, 'message');
    workers.set(each, worker);
  }
  const seen: Record<Kind, number[]> = { own: [], graphile: [] };
  for (let round = 0; round < rounds * kinds.length; round += 1) {
    const each = kinds[round % kinds.length] ?? 'own';
    for (let job = 0; job < jobs; job += 1) {
      const started = once(workers.get(each) ?? process, 'message');
      await add[each]();
      const [ms] = (await started) as [number];
      // The first job of a round wakes an idle worker; it counts like the others.
      seen[each].push(ms);
      await sleep(pauseMs);
    }
  }
  for (const worker of workers.values()) worker.kill('SIGKILL');
  await database.close();
  await pool?.end();
  return seen;
}

/** Returns the time of a clock that both processes share, with sub-millisecond resolution. */
function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? Number.NaN;
}

function describe(values: readonly number[]): string {
  const p95 = percentile(values, 0.95);
  return `p50 ${median(values).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (${values.length} jobs)`;
}
