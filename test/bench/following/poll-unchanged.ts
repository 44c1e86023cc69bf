import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCurrentDatabase } from '../../../src/app/open/open-database.ts';
import { loadConfig } from '../../../src/foundation/config/load-config.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { silentLog } from '../../support/silent-log.ts';
import { runMeasured } from '../search/run-measured.ts';
import { descendantsOf } from '../search/watch-memory.ts';
import { type FollowingService, hostToken, until } from './service.ts';

/** The default SYNC_INTERVAL, in seconds: each repository is polled once in this time. */
const intervalSeconds = 900;
/** Time over which the CPU without polls is measured, in milliseconds: two rounds of the worker. */
const idleMs = 60_000;
const hourMs = 3_600_000;
/** Number of `git ls-remote` of the anchor. */
const anchorRuns = 50;

export interface Polling {
  readonly repositories: number;
  /** Share of one core that is used because each of the repositories is polled once in the default interval. */
  readonly share: number;
  /** Share of one core that server and worker use without these repositories, and with them but without a poll. */
  readonly emptyShare: number;
  readonly idleShare: number;
  /** CPU of one poll, and of `git ls-remote` alone, in milliseconds. */
  readonly pollMs: number;
  readonly lsRemoteMs: number;
  /** Number of polls in the measured round, which polls each repository once. */
  readonly polled: number;
  readonly roundSeconds: number;
}

/**
 * Adds unchanged repositories and polls each once, all of them due at the same time. The CPU of that round, less what
 * the service uses without polls, is the CPU of the polls; what it uses more than without these repositories is added.
 * @throws if a state changes, or a repository is not polled
 */
export async function measurePolling(service: FollowingService, count: number): Promise<Polling> {
  const { githost, call, githostId, addHosted } = service;
  const empty = await measureCpu(service.pid, () => sleep(idleMs));
  const hosted = Array.from({ length: count }, (_, index) => addHosted(`unchanged-${index}`, files(index)));
  for (const { fullName: source } of hosted) {
    await call('POST', '/repositories', { source, githostConnectionId: githostId });
  }
  const names = new Set(hosted.map(({ fullName }) => fullName));
  const read = async (): Promise<readonly Row[]> =>
    (await readAll(service)).filter(({ name }) => names.has(name));
  await until('all repositories are idle', async () => (await read()).every(isIdle), {
    everyMs: 3_000,
    timeoutMs: 3 * hourMs,
  });
  await using opened = new AsyncDisposableStack();
  const database = await openServiceDatabase(service.dataDir);
  opened.defer(() => database.close());

  await until('the queue is empty', async () => (await countJobs(database)) === 0, {
    everyMs: 1_000,
    timeoutMs: hourMs,
  });
  await database.queries
    .updateTable('repositories')
    .set({ next_check_at: Date.now() + hourMs })
    .execute();
  const idle = await measureCpu(service.pid, () => sleep(idleMs));
  const before = await read();
  const startedAt = Date.now();
  const ids = before.map(({ id }) => id);
  await planChecks(database, ids, startedAt);
  const isPolled = ({ checkedAt }: Row): boolean => Date.parse(checkedAt ?? '') >= startedAt;
  const round = await measureCpu(service.pid, () =>
    until(
      'all repositories are polled',
      async () => (await countPolled(database, startedAt)) >= before.length,
      {
        everyMs: 500,
        timeoutMs: hourMs,
      },
    ),
  );
  const after = await read();
  assertUnchanged(before, after);

  const [emptyShare, idleShare] = [empty, idle].map(({ cpuSeconds, seconds }) => cpuSeconds / seconds) as [
    number,
    number,
  ];
  const polled = after.filter(isPolled).length;
  const pollSeconds = (round.cpuSeconds - idleShare * round.seconds) / polled;
  const [first] = hosted;
  return {
    repositories: before.length,
    share: Math.max(0, idleShare - emptyShare) + (pollSeconds * before.length) / intervalSeconds,
    emptyShare,
    idleShare,
    pollMs: pollSeconds * 1_000,
    lsRemoteMs: first === undefined ? Number.NaN : await measureLsRemote(githost.origin, first.fullName),
    polled,
    roundSeconds: round.seconds,
  };
}

/** The fields of a repository that matter here. */
interface Row {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly stateChangedAt: string;
  readonly indexedCommit: string | null;
  readonly graphCommit: string | null;
  readonly checkedAt: string | null;
  readonly nextCheckAt: string | null;
}

async function readAll({ call }: FollowingService): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let cursor: unknown = ''; ; ) {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
    const page = await call('GET', `/repositories?limit=200${after}`);
    rows.push(...(page['items'] as readonly Row[]));
    cursor = page['nextCursor'];
    if (cursor === null) return rows;
  }
}

/** Indexed, with its graph, and the first check is planned: its webhook was added then. */
function isIdle({ state, indexedCommit, graphCommit, nextCheckAt }: Row): boolean {
  if (state === 'failed') throw new Error('a repository failed');
  return state === 'indexed' && graphCommit === indexedCommit && nextCheckAt !== null;
}

/** @throws if the state or the commit of a repository differs */
function assertUnchanged(before: readonly Row[], after: readonly Row[]): void {
  const marks = new Map(after.map((row) => [row.id, markOf(row)]));
  const changed = before.filter((row) => marks.get(row.id) !== markOf(row));
  if (changed.length > 0) throw new Error(`${changed.length} unchanged repositories changed their state`);
}

function markOf({ state, stateChangedAt, indexedCommit }: Row): string {
  return `${state} ${stateChangedAt} ${indexedCommit}`;
}

function openServiceDatabase(dataDir: string): Promise<Database> {
  const settings = loadConfig({ env: { DATA_DIR: dataDir }, cwd: dataDir, homeDir: dataDir });
  return openCurrentDatabase(settings, 'command', silentLog, { create: false });
}

/** Makes the checks due, in slices: a statement takes a limited number of values. */
async function planChecks({ queries }: Database, ids: readonly string[], at: number): Promise<void> {
  for (let start = 0; start < ids.length; start += 200) {
    const slice = ids.slice(start, start + 200);
    await queries.updateTable('repositories').set({ next_check_at: at }).where('id', 'in', slice).execute();
  }
}

async function countPolled({ queries }: Database, since: number): Promise<number> {
  const { count } = await queries
    .selectFrom('repositories')
    .where('checked_at', '>=', since)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Counts jobs that wait or run: an index is compacted after the repository is searchable. */
async function countJobs({ queries }: Database): Promise<number> {
  const { count } = await queries
    .selectFrom('jobs')
    .where('state', '!=', 'dead')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

interface Used {
  readonly cpuSeconds: number;
  readonly seconds: number;
}

/** Measures the CPU of a process, its descendants and those that ended, while work runs. */
async function measureCpu(pid: number, work: () => Promise<void>): Promise<Used> {
  const [cpu, started] = [cpuOf(pid), performance.now()];
  await work();
  return { cpuSeconds: cpuOf(pid) - cpu, seconds: (performance.now() - started) / 1_000 };
}

/** Clock ticks a second of the times in /proc/PID/stat (proc_pid_stat(5)): 100 on every Linux. */
const ticks = 100;

function cpuOf(pid: number): number {
  const used = [pid, ...descendantsOf(pid)].map((each) => {
    const stat = readFileSync(`/proc/${each}/stat`, 'latin1');
    // After the name in parentheses the third field follows: times are the fields 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
  });
  return used.reduce((sum, each) => sum + each, 0) / ticks;
}

/** Returns the CPU of one `git ls-remote` with credentials, in milliseconds. */
async function measureLsRemote(origin: string, fullName: string): Promise<number> {
  const url = new URL(`${origin}/${fullName}.git`);
  [url.username, url.password] = ['bot', hostToken];
  const script = `for run in $(seq ${anchorRuns}); do git ls-remote --quiet "$1" HEAD > /dev/null; done`;
  const { cpu } = await runMeasured('bash', ['-c', script, 'bash', url.href]);
  return (cpu / anchorRuns) * 1_000;
}

function files(index: number): Record<string, string> {
  return {
    'README.md': `Repository ${index}\n`,
    'src/main.ts': `export const number = ${index};\n`,
  };
}
