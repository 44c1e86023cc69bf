import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BenchWorker, runService } from './tracker/running-service.ts';

/**
 * `node test/bench/backfill.ts [--issues 50000] [--kills 1]`: the first backfill of a workspace by a worker of the
 * program: its time, the time that the stand-in of the tracker took for its answers, and the peak memory of the worker
 * (must: 300 MiB). The worker is killed meanwhile and another one goes on. Then a sweep of everything: its time, and what
 * it costs at the tracker (must: 1.5 points for each issue and comment). Exits with 1 if a bound is exceeded, or if an
 * issue has no file or more than one.
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

const sweepStarted = performance.now();
const before = running.points();
await synced.request({ full: true });
await running.idle(limitMs);
const points = Math.round(running.points() - before);
// A fifth of the issues have a comment; the other families and the overlap of two comparisons cost a few pages.
const maxPoints = 1.5 * 1.2 * issues + 20_000;
const sweepSeconds = Math.round((performance.now() - sweepStarted) / 100) / 10;
console.log(
  `a sweep took ${sweepSeconds} s and cost ${points} points (must ${maxPoints}: ${points <= maxPoints ? 'holds' : 'MISSED'})`,
);
const sweepPeak = worker.peakMiB();
console.log(`peak memory after the sweep ${sweepPeak} MiB (must ${maxMiB})`);
if (files !== issues || Math.max(peak, sweepPeak) > maxMiB || points > maxPoints) process.exitCode = 1;

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
