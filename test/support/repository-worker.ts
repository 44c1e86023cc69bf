import { join } from 'node:path';
import { openCodeIndex } from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { cloneRepository } from '../../src/features/repositories/clone-repository.ts';
import { indexRepository } from '../../src/features/repositories/index-repository.ts';
import { repairRepositories } from '../../src/features/repositories/repair-repositories.ts';
import type { WorkDeps } from '../../src/features/repositories/repository-work.ts';
import { repositoryClone, repositoryIndex } from '../../src/features/repositories/tasks.ts';
import type { DatabaseOptions } from '../../src/foundation/db/database.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { handle } from '../../src/foundation/jobs/handler.ts';
import { openWorker } from '../../src/foundation/jobs/worker.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { silentLog } from './silent-log.ts';

/**
 * A worker for repositories as a process of its own, to be killed. Arguments: database options as JSON, data folder,
 * lease in ms. Prints a line once it has started.
 */
const [, , options = '', dataDir = '', leaseMs = ''] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const codeIndex = openCodeIndex({ root: join(dataDir, 'codesearch'), log: silentLog });
const deps: WorkDeps = { database, codeIndex, git: { dataDir, allowHosts: [] }, clock: systemClock };
await repairRepositories(deps);
openWorker({
  database,
  tasks: [
    handle(repositoryClone, (payload, context) => cloneRepository(deps, payload, context)),
    handle(repositoryIndex, (payload, context) => indexRepository(deps, payload, context)),
  ],
  log: silentLog,
  clock: systemClock,
  concurrency: 1,
  leaseMs: Number(leaseMs),
  heartbeatMs: Number(leaseMs) / 3,
}).start();
process.stdout.write('started\n');
