import type { DatabaseCheck, HostCheck } from './check.ts';
import { codesearchCheck } from './checks/codesearch.ts';
import { dataFolderCheck } from './checks/data-folder.ts';
import { diskCheck } from './checks/disk.ts';
import { gitCheck } from './checks/git.ts';
import { mirrorCheck } from './checks/mirror.ts';
import { nodeCheck } from './checks/node.ts';
import { queueCheck } from './checks/queue.ts';
import { secretsCheck } from './checks/secrets.ts';
import { workerCheck } from './checks/worker.ts';

/** In the order of the report. Those of the database itself (run-checks.ts) stand between the two lists. */
export const hostChecks: readonly HostCheck[] = [
  nodeCheck,
  gitCheck,
  dataFolderCheck,
  diskCheck,
  codesearchCheck,
];

/** Run where the database opens and has this program's schema. */
export const databaseChecks: readonly DatabaseCheck[] = [secretsCheck, queueCheck, workerCheck, mirrorCheck];
