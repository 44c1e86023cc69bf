import { once } from 'node:events';
import { connectorJobsDeps } from '../../../src/features/connectors/setup/synced-connection.ts';
import { tracker as connector } from '../../../src/features/connectors/tracker/connector.ts';
import { commitChanges } from '../../../src/features/mirror/commit-changes.ts';
import { mirrorCommit } from '../../../src/features/mirror/tasks.ts';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { handle } from '../../../src/foundation/jobs/handler.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { testGithosts } from '../http/githosts.ts';
import { openTestKeyring } from '../http/http-server.ts';
import { mirrorDeps } from '../mirror/mirroring.ts';
import { silentLog } from '../silent-log.ts';

/**
 * A worker process that mirrors trackers, for tests that kill it. Prints a line when it takes jobs. Arguments, both JSON:
 * database options, settings of the connector.
 */
const [, , options = '', settings = ''] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const keyring = await openTestKeyring(database);
const providerSettings = JSON.parse(settings) as Readonly<Record<string, string>>;
const { handlers } = connector.jobs(
  connectorJobsDeps({ ...testGithosts(database, keyring), providerSettings }, connector),
);
const mirroring = mirrorDeps(database);
const commit = handle(mirrorCommit, (payload, context) => commitChanges(mirroring, payload, context));
const worker = openWorker({
  database,
  tasks: [...handlers, commit],
  log: silentLog,
  clock: systemClock,
  concurrency: 2,
});
worker.start();
process.stdout.write('ready\n');
await once(process, 'SIGTERM');
await worker.stop(0);
await database.close();
