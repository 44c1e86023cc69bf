import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Row } from '../standins/tracker/model.ts';
import type { MirrorRemote } from '../support/mirror/mirror-remote.ts';
import { percentile } from './statistics.ts';
import { type RunningService, runService } from './tracker/running-service.ts';

/**
 * `node test/bench/edits.ts [--issues 3000] [--edits 20]`: the time from an edit of an issue at the stand-in of the
 * tracker to the pushed commit: webhook, intake, a worker of the program, Git over HTTP, all on loopback. While nothing
 * else runs (must: p95 of 1 s), during a first backfill (6 s), during three backfills with three clones of a Git host
 * that never responds (6 s); and the commits of 100 edits of one issue (2). Exits with 1 when a bound is exceeded.
 */
const { values } = parseArgs({
  options: { issues: { type: 'string', default: '3000' }, edits: { type: 'string', default: '20' } },
});
const [issues, edits] = [Number(values.issues), Number(values.edits)];
/** Longer than the interval between two commits of a branch, so that the service is idle before each edit. */
const restMs = 2_500;
const waitMs = 60_000;

{
  await using running = await runService(issues, 1);
  const worker = await running.startWorker();
  const [mirror] = running.mirrors;
  if (mirror === undefined) throw new Error('there is no mirror');
  await mirror.synced.request();
  report('p95 during a backfill', await timesDuring(running, () => isBackfilling(running)), 6_000);
  await running.idle(600_000);

  const idle: number[] = [];
  for (let n = 0; n < edits; n += 1) {
    await sleep(restMs);
    idle.push(...(await editOne(running, n)));
  }
  report('p95 while idle', idle, 1_000);

  await sleep(restMs);
  const before = mirror.remote.history().length;
  const issue = issueAt(running, 0);
  for (let n = 1; n <= 100; n += 1) {
    running.tracker.workspace.update(issue, { title: `Edit ${n} of 100` });
    await sleep(1);
  }
  await Promise.all([arrival(mirror.remote, issue), running.tracker.webhooks.settled()]);
  await running.idle(waitMs);
  const commits = mirror.remote.history().length - before;
  print('commits of 100 edits of one issue', `${commits}`, commits <= 2, '2');
  console.log(`peak memory of the worker ${worker.peakMiB()} MiB`);
}
{
  await using running = await runService(issues, 3);
  await running.stallClones(3);
  await running.startWorker();
  for (const { synced } of running.mirrors) await synced.request();
  const times = await timesDuring(running, () => isBackfilling(running));
  report('p95 during three backfills and three stalled clones', times, 6_000);
}

function issueAt({ tracker }: RunningService, n: number): Row {
  const all = tracker.workspace.all('Issue');
  const issue = all[(n * 977) % all.length];
  if (issue === undefined) throw new Error('there is no issue');
  return issue;
}

/** Edits one issue. Returns the time until its commit in each context repository, in milliseconds. */
async function editOne(running: RunningService, n: number): Promise<readonly number[]> {
  const issue = issueAt(running, n);
  const started = performance.now();
  running.tracker.workspace.update(issue, { title: `Edit ${n} ${Math.random()}` });
  return Promise.all(
    running.mirrors.map(async ({ remote }) => {
      await arrival(remote, issue);
      return performance.now() - started;
    }),
  );
}

/** Edits issues one after the other until the given number or the end of the work. */
async function timesDuring(
  running: RunningService,
  isWorking: () => Promise<boolean>,
): Promise<readonly number[]> {
  const times: number[] = [];
  while (!(await isWorking())) await sleep(20);
  for (let n = 0; n < edits && (await isWorking()); n += 1) {
    times.push(...(await editOne(running, n)));
    await sleep(Math.random() * 1_000);
  }
  return times;
}

async function isBackfilling({ mirrors }: RunningService): Promise<boolean> {
  const states = await Promise.all(mirrors.map(({ synced }) => synced.status()));
  return states.some(({ last_sync_at: endedAt }) => endedAt === null);
}

/** Resolves when the branch has the present title of an issue. */
async function arrival(remote: MirrorRemote, issue: Row): Promise<void> {
  const path = `tracker/issues/ENG/${String(issue['identifier'])}.md`;
  const deadline = performance.now() + waitMs;
  let seen: string | undefined;
  for (;;) {
    const tip = tipOf(remote);
    if (tip !== seen && tip !== undefined) {
      const [listed = ''] = remote.git('ls-tree', '--name-only', tip, path).split('\n');
      if (listed === path && remote.git('show', `${tip}:${path}`).includes(String(issue['title']))) return;
    }
    seen = tip;
    if (performance.now() > deadline) throw new Error(`an edit did not arrive within ${waitMs / 1_000} s`);
    await sleep(5);
  }
}

/** Reads the file of the branch: a Git process for each look would slow the service down. */
function tipOf({ folder }: MirrorRemote): string | undefined {
  try {
    return readFileSync(join(folder, 'refs/heads/main'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

function report(what: string, times: readonly number[], mustMs: number): void {
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
  const measured = `${(p95 / 1_000).toFixed(2)} s (p50 ${(p50 / 1_000).toFixed(2)} s, ${times.length} edits)`;
  print(what, measured, p95 <= mustMs, `${mustMs / 1_000} s`);
}

function print(what: string, measured: string, holds: boolean, must: string): void {
  console.log(`${what.padEnd(52)} ${measured}, must ${must}: ${holds ? 'holds' : 'MISSED'}`);
  if (!holds) process.exitCode = 1;
}
