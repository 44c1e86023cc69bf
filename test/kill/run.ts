import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrations } from '../../migrations/index.ts';
import type { DatabaseOptions } from '../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { createRandom } from '../support/connectors/random.ts';
import { findServerBinaries, startServer, templateDatabase } from '../support/database/postgres-server.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { measureDefaultLease } from './default-lease.ts';
import { type KillOptions, killWorkers } from './kill-workers.ts';
import { type Figure, figures } from './thresholds.ts';

/**
 * `npm run test:kill -- --db sqlite|postgres`: kills workers with SIGKILL and prints figures about the jobs. Exits with
 * 1 when a figure misses its threshold. Jobs, lanes, kills, workers and the lease can be set; the thresholds are meant
 * for the defaults.
 */
const usage =
  'usage: npm run test:kill -- --db sqlite|postgres [--jobs N] [--lanes N] [--kills N] [--workers N] [--lease MS]';

const { values } = parseArgs({
  options: {
    db: { type: 'string' },
    jobs: { type: 'string', default: '2000' },
    lanes: { type: 'string', default: '20' },
    kills: { type: 'string', default: '60' },
    workers: { type: 'string', default: '4' },
    lease: { type: 'string', default: '3000' },
  },
});

const options: KillOptions = {
  jobs: count(values.jobs),
  lanes: count(values.lanes),
  kills: count(values.kills),
  workers: count(values.workers),
  leaseMs: count(values.lease),
  random: createRandom(Date.now()),
};

if (values.db === 'sqlite') await onSqlite();
else if (values.db === 'postgres') await onPostgres();
else fail(usage);

async function onSqlite(): Promise<void> {
  await measure({ dialect: 'sqlite', file: join(temporaryFolder(), 'orgctx.db') });
}

async function onPostgres(): Promise<void> {
  const binaries = await findServerBinaries();
  if (binaries === undefined)
    fail('No PostgreSQL server binaries were found (searched PATH and /usr/lib/postgresql/*/bin).');
  const server = await startServer(binaries);
  try {
    const url = new URL(server.url);
    url.pathname = templateDatabase;
    await measure({ dialect: 'postgres', url: url.href, poolSize: 5, applicationName: 'orgctx-kill' });
  } finally {
    await server.stop();
  }
}

async function measure(databaseOptions: DatabaseOptions): Promise<void> {
  const database = await openDatabase(databaseOptions, silentLog);
  try {
    await migrateToLatest(database, { migrations, log: silentLog });
    const defaultLeaseMs = await measureDefaultLease(database);
    const { dialect } = databaseOptions;
    console.log(
      `${dialect}: ${options.jobs} jobs in ${options.lanes} lanes, ${options.workers} worker processes;`,
    );
    console.log(
      `lease ${options.leaseMs} ms for this run, ${Math.round(defaultLeaseMs / 1_000)} s by default`,
    );
    const outcome = await killWorkers({ ...database, options: databaseOptions }, options);
    print(figures(outcome, options));
    for (const line of [...outcome.overlaps, ...outcome.staleFences].slice(0, 20)) console.log(line);
    if (outcome.lost.length > 0) console.log(`lost: ${outcome.lost.slice(0, 50).join(' ')}`);
  } finally {
    await database.close();
  }
}

function print(table: readonly Figure[]): void {
  for (const { name, value, threshold, broken } of table)
    console.log(`${name.padEnd(52)} ${value.padStart(8)}  ${threshold.padEnd(10)}${broken ? ' BROKEN' : ''}`);
  if (table.some(({ broken }) => broken)) process.exitCode = 1;
}

function count(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : fail(usage);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
