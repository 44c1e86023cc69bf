import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchWorker, runService } from './tracker/running-service.ts';

/**
 * `node test/bench/backfill.ts [--issues 50000] [--kills 1]`: the first backfill of a workspace by a worker of the
 * program: its time, the time that the stand-in of the tracker took for its answers, and the peak memory of the worker
 * (must: 300 MiB). The worker is killed meanwhile and another one goes on. Exits with 1 if the memory is exceeded, or
 * if an issue has no file or more than one.
 */
const { values } = parseArgs({
  options: { issues: { type: 'string', default: '50000' }, kills: { type: 'string', default: '1' } },
});
const [issues, kills] = [Number(values.issues), Number(values.kills)];
const maxMiB = 300;
const limitMs = 3_600_000;

await using running = await runService(issues, 1);
const [mirror] = running.mirrors;
if (mirror === undefined) throw new Error('there is no mirror');
const { synced, remote } = mirror;
let worker: BenchWorker = await running.startWorker();
const peaks: number[] = [];
const started = performance.now();
await synced.request();
for (let kill = 1; kill <= kills; kill += 1) {
  while ((await queuedIssues()) < (issues * kill) / (kills + 1)) await sleep(200);
  peaks.push(worker.peakMiB());
  await worker.stop('SIGKILL');
  console.log(`killed after ${seconds()} s`);
  worker = await running.startWorker();
}
await running.idle(limitMs);
peaks.push(worker.peakMiB());
const took = seconds();
const paths = remote.git('ls-tree', '-r', '--name-only', 'main').trim().split('\n');
const files = paths.filter((path) => path.startsWith('tracker/issues/')).length;
const peak = Math.max(...peaks);
console.log(
  `${issues} issues in ${took} s: ${Math.round(issues / took)} issues/s, ${remote.history().length} commits`,
);
console.log(`files of issues ${files} (must ${issues}: ${files === issues ? 'holds' : 'MISSED'})`);
console.log(`peak memory of the worker ${peak} MiB (must ${maxMiB}: ${peak <= maxMiB ? 'holds' : 'MISSED'})`);
console.log(`the stand-in computed for ${Math.round(running.standInMs() / 1_000)} s`);
if (files !== issues || peak > maxMiB) process.exitCode = 1;

/** Returns the number of issues that the worker has stored. */
async function queuedIssues(): Promise<number> {
  const { stored } = await running.service.database.queries
    .selectFrom('entities')
    .select((e) => e.fn.countAll<number>().as('stored'))
    .where('kind', '=', 'issue')
    .executeTakeFirstOrThrow();
  return stored;
}

function seconds(): number {
  return Math.round((performance.now() - started) / 100) / 10;
}
