import { join } from 'node:path';
import { migrations } from '../../../migrations/index.ts';
import {
  commitDeliveries,
  type SubmitDeliveries,
} from '../../../src/features/connectors/intake/group-commit.ts';
import { openIntake } from '../../../src/features/connectors/intake/open-intake.ts';
import { webhookSources } from '../../../src/features/connectors/intake/verify-webhook.ts';
import { connectors } from '../../../src/features/connectors/registry.ts';
import type { Database, DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { createLogger } from '../../../src/foundation/telemetry/logger.ts';
import { metricsOff } from '../../../src/foundation/telemetry/metrics.ts';
import { buildHttpServer } from '../../../src/surfaces/http/build-server.ts';
import { openTestHttpDeps, openTestKeyring } from '../../support/http/http-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { connectTracker } from '../../support/webhooks/connected-tracker.ts';
import { freshPostgres } from './fresh-postgres.ts';

/**
 * The servers that `intake.ts` measures, in a separate process: the whole HTTP surface with the product's webhook
 * route. They differ only in how verified deliveries are stored. Argument: URL of a Postgres server. Default: SQLite.
 */
const [, , server = ''] = process.argv;
const log = createLogger({ level: 'error', name: 'bench', pretty: false, destination: 'stderr' });
const database = await openDatabase(await options(), log);
await migrateToLatest(database, { migrations, log });
const keyring = await openTestKeyring(database);
await connectTracker(database, keyring, { secret: 'bench-secret' });

/** Discards verified deliveries. */
const discard: SubmitDeliveries = async (deliveries) => new Set(deliveries.map(({ id }) => id));
/** Commits one transaction per request; the pool of database connections limits the concurrency. */
const single: SubmitDeliveries = (deliveries) => commitDeliveries(database, connectors, deliveries);

async function options(): Promise<DatabaseOptions> {
  return server === ''
    ? { dialect: 'sqlite', file: join(temporaryFolder(), 'orgctx.db') }
    : freshPostgres(server);
}

async function listen(submit?: SubmitDeliveries): Promise<string> {
  const sources = webhookSources(connectors, { WEBHOOK_TOLERANCE_TRACKER: 3_600 });
  const deps = {
    database,
    keyring,
    sources,
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
process.send?.({ verify: await listen(discard), single: await listen(single), group: await listen() });
process.once('disconnect', () => process.exit());
