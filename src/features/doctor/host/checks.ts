import type { DatabaseCheck, HostCheck } from './check.ts';
import { clientDocumentsCheck } from './checks/client-documents.ts';
import { codesearchCheck } from './checks/codesearch.ts';
import { dataFolderCheck } from './checks/data-folder.ts';
import { diskCheck } from './checks/disk.ts';
import { gitCheck } from './checks/git.ts';
import { mirrorCheck } from './checks/mirror.ts';
import { modelCheck } from './checks/model.ts';
import { nodeCheck } from './checks/node.ts';
import { queueCheck } from './checks/queue.ts';
import { secretsCheck } from './checks/secrets.ts';
import { serverCheck } from './checks/server.ts';
import { workerCheck } from './checks/worker.ts';

/** Checks of the host, in the order of the report. The checks of the database itself (run-checks.ts) follow them. */
export const hostChecks: readonly HostCheck[] = [
  nodeCheck,
  gitCheck,
  dataFolderCheck,
  diskCheck,
  codesearchCheck,
  modelCheck,
  serverCheck,
];

/** Checks that run only if the database opens and has the schema of this program. */
export const databaseChecks: readonly DatabaseCheck[] = [
  secretsCheck,
  queueCheck,
  workerCheck,
  mirrorCheck,
  clientDocumentsCheck,
];
