import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerFlags } from '../../../src/app/processes/process-flags.ts';
import { repositoryClone } from '../../../src/features/repositories/tasks.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { startGitHttpServer } from '../../standins/git-http-server.ts';
import { startTracker, type Tracker } from '../../standins/tracker/tracker.ts';
import { seedRepository } from '../../support/codesearch/seeded-repositories.ts';
import { createRemote, type MirrorRemote } from '../../support/mirror/mirror-remote.ts';
import { targetFor } from '../../support/mirror/mirroring.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  openSyncService,
  type SyncedTracker,
  type SyncService,
  syncTracker,
} from '../../support/tracker/synced-tracker.ts';

/** A workspace with issues that a worker of the program mirrors into repositories behind HTTP. */
export interface RunningService extends AsyncDisposable {
  readonly tracker: Tracker;
  readonly service: SyncService;
  readonly mirrors: readonly Mirror[];
  startWorker(): Promise<BenchWorker>;
  /** Time that the stand-in of the tracker took for its answers, in milliseconds. */
  standInMs(): number;
  /** Points of complexity of all queries that the stand-in has answered. */
  points(): number;
  /** Enqueues clones of repositories whose server never responds. */
  stallClones(count: number): Promise<void>;
  /** Resolves when no job of a connection and no commit is left. */
  idle(limitMs: number): Promise<void>;
}

/** A connection and the repository that it is mirrored into. */
export interface Mirror {
  readonly synced: SyncedTracker;
  readonly remote: MirrorRemote;
}

export interface BenchWorker {
  /** Peak memory of the process in MiB; Linux only. */
  peakMiB(): number;
  stop(signal: NodeJS.Signals): Promise<void>;
}

const program = join(import.meta.dirname, '../../../bin/orgctx.ts');
const teamKey = 'ENG';

/** @param issues number of issues in the workspace, a fifth of them with a comment */
export async function runService(issues: number, connections: number): Promise<RunningService> {
  await using opened = new AsyncDisposableStack();
  const tracker = opened.use(await startTracker());
  // Without the limits of the provider, the bench measures the service.
  Object.assign(tracker.graphql.limits, { requests: 10 ** 8, complexity: 10 ** 11 });
  const standIn = timeAnswers(tracker);
  fillWorkspace(tracker, issues);
  const service = opened.use(await openSyncService());
  const { database, scope } = service;
  const root = temporaryFolder();
  const gitServer = await startGitHttpServer({ root });
  opened.defer(() => gitServer.close());
  const silent = await startGitHttpServer({ root: temporaryFolder() });
  silent.behaviour = { kind: 'silent' };
  opened.defer(() => silent.close());
  const allowHosts = [gitServer, silent].map(({ origin }) => new URL(origin).host);

  const mirrors: Mirror[] = [];
  for (let n = 0; n < connections; n += 1) {
    const synced = await syncTracker(service, tracker);
    const remote = createRemote(root, `context-${n}.git`);
    const source = `${gitServer.origin}/${basename(remote.folder)}`;
    const target = await targetFor(database, scope, source, { allowHosts });
    const binding = { target_id: target.id };
    await database.queries.updateTable('connections').set(binding).where('id', '=', synced.id).execute();
    mirrors.push({ synced, remote });
  }
  const { options } = database;
  if (options.dialect !== 'sqlite') throw new Error('the bench runs on SQLite');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: temporaryFolder(),
    DATA_DIR: dirname(options.file),
    AUTH_SECRET: 'k'.repeat(40),
    OUTBOUND_ALLOW_HOSTS: allowHosts.join(','),
    ...tracker.settings,
  };
  const toClose = opened.move();
  return {
    tracker,
    service,
    mirrors,
    standInMs: () => standIn.ms,
    points: () => standIn.points,
    startWorker: () => startWorker(env, toClose),
    async stallClones(count) {
      for (let n = 0; n < count; n += 1) {
        const source = `${silent.origin}/stalled-${n}.git`;
        const repositoryId = await seedRepository(database, scope, {
          name: `stalled-${n}`,
          source,
          state: 'queued',
        });
        await enqueue(database.queries, repositoryClone, {
          organizationId: scope.organizationId,
          repositoryId,
        });
      }
    },
    async idle(limitMs) {
      const deadline = performance.now() + limitMs;
      while ((await pendingJobs(service)) > 0) {
        if (performance.now() > deadline) throw new Error(`jobs are left after ${limitMs / 1_000} s`);
        await sleep(100);
      }
    },
    [Symbol.asyncDispose]: () => toClose.disposeAsync(),
  };
}

function timeAnswers({ graphql }: Tracker): { readonly ms: number; readonly points: number } {
  const timed = { ms: 0, points: 0 };
  const { answer } = graphql;
  graphql.answer = async (body) => {
    const started = performance.now();
    const reply = await answer(body);
    timed.ms += performance.now() - started;
    // Nobody reads the queries themselves, and a backfill sends thousands.
    for (const { complexity } of graphql.queries.splice(0)) timed.points += complexity;
    return reply;
  };
  return timed;
}

function fillWorkspace({ workspace }: Tracker, issues: number): void {
  const team = workspace.add('Team', { key: teamKey, name: 'Engineering' });
  const description = 'All amounts are kept in minor units. '.repeat(30);
  for (let n = 0; n < issues; n += 1) {
    const issue = workspace.add('Issue', { title: `Issue ${n}`, teamId: team.id, description });
    if (n % 5 === 0)
      workspace.add('Comment', { body: 'Seen.', issueId: issue.id, userId: workspace.viewer.id });
  }
}

async function pendingJobs({ database }: SyncService): Promise<number> {
  const { pending } = await database.queries
    .selectFrom('jobs')
    .select((e) => e.fn.countAll<number>().as('pending'))
    .where((e) => e.or([e('task', 'like', 'tracker-%'), e('task', '=', 'mirror-commit')]))
    .where('state', 'in', ['ready', 'running'])
    .executeTakeFirstOrThrow();
  return pending;
}

async function startWorker(
  env: Readonly<Record<string, string>>,
  opened: AsyncDisposableStack,
): Promise<BenchWorker> {
  const child = spawn(process.execPath, [...workerFlags, program, 'worker'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  opened.defer(() => stop('SIGKILL'));
  const deadline = performance.now() + 60_000;
  while (!log.includes('"working"')) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`the worker did not start: ${log}`);
    await sleep(50);
  }
  return { peakMiB: () => peakMiB(child.pid), stop };
}

function peakMiB(pid: number | undefined): number {
  const [, kilobytes = 'NaN'] = /VmHWM:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
