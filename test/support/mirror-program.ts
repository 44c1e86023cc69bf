import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions } from '../../src/foundation/db/database.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import type { MirrorTargetId } from '../../src/foundation/kernel/ids.ts';
import { startCounting } from './kill-at-write.ts';
import { mirrorDeps, mirrorWorker, queueFiles } from './mirroring.ts';
import { silentLog } from './silent-log.ts';

/**
 * A worker that mirrors, as a process of its own, to be killed between any two of its writes. Arguments: database
 * options as JSON, data folder, target, and as JSON the files it queues itself once the first ones have landed. Prints
 * `queued` when those are committed, and ends when nothing waits.
 */
const [, , options = '', dataDir = '', targetId = '', later = ''] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const worker = mirrorWorker(mirrorDeps(database, { git: { dataDir, allowHosts: [] } }));
startCounting();
worker.start();
await untilNothingWaits();
await queueFiles(database, targetId as MirrorTargetId, JSON.parse(later) as Record<string, string | null>);
process.stdout.write('queued\n');
await untilNothingWaits();
await worker.stop(5_000);
await database.close();

async function untilNothingWaits(): Promise<void> {
  for (;;) {
    const job = await database.queries.selectFrom('jobs').select('id').executeTakeFirst();
    if (job === undefined) return;
    await sleep(10);
  }
}
