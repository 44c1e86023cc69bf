import { join } from 'node:path';
import { repositoryJobs } from '../../../src/features/repositories/jobs.ts';
import { repairRepositories } from '../../../src/features/repositories/reconciling/repair-repositories.ts';
import type { WorkDeps } from '../../../src/features/repositories/reconciling/repository-work.ts';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { openTestIndex } from '../codesearch/open-test-index.ts';
import { silentLog } from '../silent-log.ts';

/**
 * A worker process for repositories that tests kill. Arguments: database options as JSON, data folder, lease in ms.
 * Prints a line once it has started.
 */
const [, , options = '', dataDir = '', leaseMs = ''] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const codeIndex = openTestIndex({ root: join(dataDir, 'codesearch'), log: silentLog });
const deps: WorkDeps = { database, codeIndex, git: { dataDir, allowHosts: [] }, clock: systemClock };
await repairRepositories(deps);
openWorker({
  database,
  tasks: repositoryJobs({ ...deps, log: silentLog }).handlers,
  log: silentLog,
  clock: systemClock,
  concurrency: 1,
  leaseMs: Number(leaseMs),
  heartbeatMs: Number(leaseMs) / 3,
}).start();
process.stdout.write('started\n');
