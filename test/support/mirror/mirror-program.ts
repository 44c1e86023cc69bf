import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import type { MirrorTargetId } from '../../../src/foundation/kernel/ids.ts';
import { startCounting } from '../kill/kill-at-write.ts';
import { silentLog } from '../silent-log.ts';
import { mirrorDeps, mirrorWorker, queueFiles, resetCommitDelay } from './mirroring.ts';

/**
 * A mirroring worker process that tests kill. Arguments: database options as JSON and data folder, then either the
 * offset of its clock in ms: it runs until SIGTERM; or a target and files as JSON: it queues the files once the queue
 * is empty, prints `queued`, and exits when they are pushed.
 */
const [, , options = '', dataDir = '', skewOrTarget = '', filesJson] = process.argv;
const skewMs = filesJson === undefined ? Number(skewOrTarget) : 0;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const deps = mirrorDeps(database, {
  git: { dataDir, allowHosts: [] },
  clock: () => Date.now() + skewMs,
});
// Long enough for a heartbeat of a busy machine, short enough to wait for after a kill.
const worker = mirrorWorker(deps, { leaseMs: 6_000 });
startCounting();
worker.start();
if (filesJson === undefined) {
  await once(process, 'SIGTERM');
} else {
  await untilQueueIsEmpty();
  await resetCommitDelay(database);
  const files = JSON.parse(filesJson) as Record<string, string | null>;
  await queueFiles(database, skewOrTarget as MirrorTargetId, files);
  process.stdout.write('queued\n');
  await untilQueueIsEmpty();
}
await worker.stop(5_000);
await database.close();

async function untilQueueIsEmpty(): Promise<void> {
  for (;;) {
    const job = await database.queries.selectFrom('jobs').select('id').executeTakeFirst();
    if (job === undefined) return;
    await sleep(10);
  }
}
