import { join } from 'node:path';
import { webhookReaders } from '../../src/app/webhook-sources.ts';
import { commitDeliveries } from '../../src/features/connectors/intake/commit-deliveries.ts';
import type { SubmitDeliveries } from '../../src/features/connectors/intake/group-commit.ts';
import { openIntake } from '../../src/features/connectors/intake/open-intake.ts';
import { trackerWebhooks } from '../../src/features/connectors/tracker/webhook.ts';
import type { Database, DatabaseOptions } from '../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../src/foundation/db/migrate.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { createLogger } from '../../src/foundation/telemetry/logger.ts';
import { metricsOff } from '../../src/foundation/telemetry/metrics.ts';
import { buildHttpServer } from '../../src/surfaces/http/build-server.ts';
import { connectTracker } from '../support/connected-tracker.ts';
import { openTestHttpDeps, openTestKeyring } from '../support/http-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { freshPostgres } from './fresh-postgres.ts';

/**
 * The servers that `intake.ts` measures, in a process of their own: the whole HTTP surface with the product's webhook
 * route, which differs only in where verified deliveries go. Argument: a Postgres server's URL, or nothing for SQLite.
 */
const [, , server = ''] = process.argv;
const log = createLogger({ level: 'error', name: 'bench', pretty: false, destination: 'stderr' });
const database = await openDatabase(await options(), log);
await migrateToLatest(database, { log });
const keyring = await openTestKeyring(database);
await connectTracker(database, keyring, { secret: 'bench-secret' });

/** Verified, and forgotten. */
const nowhere: SubmitDeliveries = async (deliveries) => new Set(deliveries.map(({ id }) => id));
/** One transaction a request, as many at once as there are connections to the database. */
const single: SubmitDeliveries = (deliveries) => commitDeliveries(database, webhookReaders, deliveries);

async function options(): Promise<DatabaseOptions> {
  return server === ''
    ? { dialect: 'sqlite', file: join(temporaryFolder(), 'orgctx.db') }
    : freshPostgres(server);
}

async function listen(submit?: SubmitDeliveries): Promise<string> {
  const tracker = { reader: trackerWebhooks, toleranceMs: 3_600_000, deploymentSecret: undefined };
  const deps = {
    database,
    keyring,
    readers: webhookReaders,
    tracker,
    clock: systemClock,
    log,
    metrics: metricsOff,
  };
  const intake = openIntake(deps, submit === undefined ? {} : { submit });
  const http = await buildHttpServer({ ...(await openTestHttpDeps(database, { intake }, log)) });
  return `${await http.listen({ host: '127.0.0.1', port: 0 })}/api/v1/webhook/tracker`;
}

async function clear({ queries }: Database): Promise<void> {
  for (const table of ['deliveries', 'jobs'] as const) await queries.deleteFrom(table).execute();
}

process.on('message', () => {
  void clear(database).then(() => process.send?.('cleared'));
});
process.send?.({ verify: await listen(nowhere), single: await listen(single), group: await listen() });
process.once('disconnect', () => process.exit());
