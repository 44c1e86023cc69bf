import { once } from 'node:events';
import { connectorOf } from '../../../src/features/connectors/connections/connections-deps.ts';
import { restoreFiles } from '../../../src/features/connectors/entities/restore-files.ts';
import { connectors } from '../../../src/features/connectors/registry.ts';
import { connectorJobsDeps } from '../../../src/features/connectors/setup/synced-connection.ts';
import { commitChanges } from '../../../src/features/mirror/commits/commit-changes.ts';
import { mirrorCommit } from '../../../src/features/mirror/tasks.ts';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { handle } from '../../../src/foundation/jobs/handler.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { buildHttpServer } from '../../../src/surfaces/http/build-server.ts';
import { testGithosts } from '../git/test-githosts.ts';
import { openTestHttpDeps, openTestIntake, openTestKeyring } from '../http/http-server.ts';
import { startCounting } from '../kill/kill-at-write.ts';
import { type BranchAccess, branchDeps } from '../mirror/changed-branch.ts';
import { mirrorDeps } from '../mirror/mirroring.ts';
import { silentLog } from '../silent-log.ts';

/**
 * A worker that mirrors the connections of a connector, or a server that receives their webhooks, for tests that kill
 * it. Prints a line when it is ready. Arguments: `worker` or `server`, and as JSON a `SyncProgram`.
 */
export interface SyncProgram {
  readonly kind: string;
  readonly database: DatabaseOptions;
  /** Settings of the connector. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Address of the server. */
  readonly baseUrl: string;
  /** How the context repository is reached. Default: a folder. */
  readonly branch?: BranchAccess;
}

const [, script, role = '', options = ''] = process.argv;
if (script === import.meta.filename) {
  const given = JSON.parse(options) as SyncProgram;
  await (role === 'server' ? serve(given) : work(given));
}

async function work({
  kind,
  database: opened,
  settings: providerSettings,
  baseUrl,
  branch,
}: SyncProgram): Promise<void> {
  const database = await openDatabase(opened, silentLog);
  const keyring = await openTestKeyring(database);
  const connector = connectorOf(connectors, kind);
  const githosts = testGithosts(database, keyring, { baseUrl });
  const { handlers } = connector.jobs(connectorJobsDeps({ ...githosts, providerSettings }, connector));
  const mirroring = mirrorDeps(database, {
    restore: (tx, target, lost) => restoreFiles(tx, connectors, target, lost),
    ...(branch && branchDeps(branch)),
  });
  const commit = handle(mirrorCommit, (payload, context) => commitChanges(mirroring, payload, context));
  const tasks = [...handlers, commit];
  const worker = openWorker({ database, tasks, log: silentLog, clock: systemClock, concurrency: 2 });
  startCounting();
  worker.start();
  process.stdout.write('ready\n');
  await once(process, 'SIGTERM');
  await worker.stop(0);
  await database.close();
}

async function serve({ database: opened, baseUrl }: SyncProgram): Promise<void> {
  const database = await openDatabase(opened, silentLog);
  const keyring = await openTestKeyring(database);
  const intake = openTestIntake(database, keyring, silentLog);
  const server = await buildHttpServer(await openTestHttpDeps(database, { intake, baseUrl }, silentLog), {});
  startCounting();
  const { hostname: host, port } = new URL(baseUrl);
  await server.listen({ host, port: Number(port) });
  process.stdout.write('ready\n');
  await once(process, 'SIGTERM');
  await server.close();
  await intake.close(0);
  await database.close();
}
