import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions } from '../../src/foundation/db/database.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import type { MirrorTargetId } from '../../src/foundation/kernel/ids.ts';
import { startCounting } from './kill-at-write.ts';
import { mirrorDeps, mirrorWorker, queueFiles, quietTime } from './mirroring.ts';
import { silentLog } from './silent-log.ts';

/**
 * A worker that mirrors, as a process of its own, to be killed. Arguments: database options as JSON and data folder, and
 * then either how far its clock is from the right time, in ms: it runs until SIGTERM; or a target and, as JSON, files: it
 * queues these once nothing waits any more, prints `queued`, and ends when they have landed as well.
 */
const [, , options = '', dataDir = '', skewOrTarget = '', later] = process.argv;
const skewMs = later === undefined ? Number(skewOrTarget) : 0;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const deps = mirrorDeps(database, {
  git: { dataDir, allowHosts: [] },
  clock: () => Date.now() + skewMs,
});
const worker = mirrorWorker(deps, { leaseMs: 2_000 });
startCounting();
worker.start();
if (later === undefined) {
  await once(process, 'SIGTERM');
} else {
  await untilNothingWaits();
  await quietTime(database);
  const files = JSON.parse(later) as Record<string, string | null>;
  await queueFiles(database, skewOrTarget as MirrorTargetId, files);
  process.stdout.write('queued\n');
  await untilNothingWaits();
}
await worker.stop(5_000);
await database.close();

async function untilNothingWaits(): Promise<void> {
  for (;;) {
    const job = await database.queries.selectFrom('jobs').select('id').executeTakeFirst();
    if (job === undefined) return;
    await sleep(10);
  }
}
