import { connectors } from '../../../src/features/connectors/registry.ts';
import { queueChanges } from '../../../src/features/mirror/change-store.ts';
import { commitChanges } from '../../../src/features/mirror/commits/commit-changes.ts';
import type { ChangeClass } from '../../../src/features/mirror/mirror-change.ts';
import type { MirrorDeps } from '../../../src/features/mirror/mirror-deps.ts';
import type { MirrorTarget } from '../../../src/features/mirror/mirror-target.ts';
import { ensureTarget, findTarget } from '../../../src/features/mirror/mirror-target-store.ts';
import { type MirrorPayload, mirrorCommit } from '../../../src/features/mirror/tasks.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { handle, type JobContext } from '../../../src/foundation/jobs/handler.ts';
import { openWorker, type Worker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { ConnectionId, MirrorTargetId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { silentLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { addressedTarget } from './addressed-target.ts';

/** The connection of the files that `queueFiles` queues. */
export const connectionId = 'connection-1' as ConnectionId;

const roots = connectors.map(({ records }) => records.root);

/** Returns the worker's dependencies for mirroring, with a new data folder. */
export function mirrorDeps(database: Database, options: Partial<MirrorDeps> = {}): MirrorDeps {
  return {
    database,
    git: { dataDir: temporaryFolder(), allowHosts: [] },
    clock: systemClock,
    roots,
    credentials: () => Promise.resolve(undefined),
    ...options,
  };
}

/** Creates a target for a folder of this host, or for a repository of a loopback host in `allowHosts`. */
export async function targetFor(
  database: Database,
  scope: OrgScope,
  source: string,
  { branch = 'main', allowHosts = [] }: { branch?: string; allowHosts?: readonly string[] } = {},
): Promise<MirrorTarget> {
  const repository = await addressedTarget(source, allowHosts);
  return database.transaction((tx) => ensureTarget(tx, scope, { repository, branch }, 0));
}

export async function presentTarget(database: Database, id: MirrorTargetId): Promise<MirrorTarget> {
  const target = await findTarget(database.queries, id);
  return target ?? Promise.reject(new Error('the target is gone'));
}

/** Queues files as a connector does: content by path; `null` deletes. */
export async function queueFiles(
  database: Database,
  id: MirrorTargetId,
  files: Readonly<Record<string, string | Buffer | null>>,
  origin = 'issue ENG-1',
  changeClass: ChangeClass = 'edit',
): Promise<void> {
  const changes = Object.entries(files).map(([path, content]) => ({
    path,
    content: typeof content === 'string' ? Buffer.from(content) : content,
    connectionId,
    origin,
    changeClass,
  }));
  await database.transaction((tx) => queueChanges(tx, id, changes, roots));
}

/** Returns the pending paths. */
export async function waitingPaths(database: Database): Promise<readonly string[]> {
  const rows = await database.queries.selectFrom('mirror_changes').select('path').orderBy('path').execute();
  return rows.map(({ path }) => path);
}

/** Clears the times of the last commits, so that the next commit is not delayed. */
export async function resetCommitDelay(database: Database): Promise<void> {
  await database.queries.updateTable('mirror_targets').set({ committed_at: null }).execute();
}

/** Runs the commit job without the queue and without a delay since the last commit. */
export async function runCommit(
  deps: MirrorDeps,
  targetId: MirrorTargetId,
  context: Partial<JobContext> = {},
): Promise<void> {
  await resetCommitDelay(deps.database);
  await runCommitNow(deps, { targetId }, context);
}

/** Runs the commit job without the queue, keeping the time of the last commit. */
export async function runCommitNow(
  deps: MirrorDeps,
  payload: MirrorPayload,
  context: Partial<JobContext> = {},
): Promise<void> {
  await commitChanges(deps, payload, {
    signal: new AbortController().signal,
    log: silentLog,
    attempt: 1,
    maxAttempts: mirrorCommit.maxAttempts,
    fence: 1,
    assertHeld: () => Promise.resolve(),
    ...context,
  });
}

/** Opens a real worker in this process with the commit job. The caller must start and stop it. */
export function mirrorWorker(
  deps: MirrorDeps,
  options: { readonly leaseMs?: number; readonly pollMs?: number } = {},
): Worker {
  return openWorker({
    ...options,
    heartbeatMs: (options.leaseMs ?? 30_000) / 3,
    database: deps.database,
    tasks: [handle(mirrorCommit, (payload, context) => commitChanges(deps, payload, context))],
    log: silentLog,
    clock: deps.clock,
    concurrency: 2,
  });
}
