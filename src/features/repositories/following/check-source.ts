import { mirrorHolds, readSourceTips } from '../../../foundation/git/mirror/mirror.ts';
import { defaultMirrorLimits } from '../../../foundation/git/mirror/mirror-limits.ts';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import type { RemoteTips } from '../../../foundation/git/remote/remote-tips.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { hasMirror, mirrorPath } from '../indexing/mirror-path.ts';
import { reachRepository } from '../reach-repository.ts';
import { describeFailure } from '../reconciling/failure.ts';
import type { WorkDeps } from '../reconciling/repository-work.ts';
import type { Repository } from '../repository.ts';
import { changeState, type RepositoryRef } from '../repository-state-store.ts';
import { repositoryFetch } from '../tasks.ts';
import { checkDelay } from './check-times.ts';
import { type DueRepository, planCheck, recordCheck } from './due-repositories.ts';

export type FollowDeps = WorkDeps & { readonly syncIntervalMs: number; readonly log: Logger };

/** Maximum times of a check, in milliseconds: without data, and in total. */
const stallMs = 30_000;
const totalMs = 60_000;

/**
 * Compares the branches at a source with the indexed ones, by one `git ls-remote`, and starts a fetch if they differ.
 * An unchanged repository keeps its state. A failed repository is tried again when its source can be read, but
 * one that stopped its worker only when its branches have moved.
 */
export async function checkSource(deps: FollowDeps, due: DueRepository, signal: AbortSignal): Promise<void> {
  const { ref, repository, dueAt, failedChecks } = due;
  const nextAfter = (failures: number): number =>
    deps.clock() + checkDelay(deps.syncIntervalMs, failures, Math.random());
  // It has just become idle for the first time: its clone has read the source.
  const isNew = dueAt === undefined && repository.state === 'indexed';
  // No webhook reported the pushes since that clone, so the source is soon read again.
  const isUnwatched = isNew && repository.githostConnectionId !== undefined;
  const plannedAt = isUnwatched ? deps.clock() : nextAfter(failedChecks);
  // Also the lease of this check: another worker leaves the repository alone until then.
  if (!(await planCheck(deps.database.queries, due, plannedAt))) return;
  if (isNew) await watchPushes(deps, due, signal);
  if (dueAt === undefined || (isWorkerLost(repository) && !(await hasMirrorOf(deps, ref)))) return;
  await compare(deps, due, nextAfter, signal);
}

/**
 * Returns whether the work on a repository stopped its worker. It must not repeat before the source has changed, and
 * without a mirror nothing tells whether it has.
 */
function isWorkerLost({ error }: Repository): boolean {
  return error?.code === 'worker_lost';
}

function hasMirrorOf({ git }: FollowDeps, { scope, id }: RepositoryRef): Promise<boolean> {
  return hasMirror(mirrorPath(git.dataDir, scope, id));
}

/** Reads the branches at the source, records that, and starts a fetch if it is due. */
async function compare(
  deps: FollowDeps,
  due: DueRepository,
  nextAfter: (failures: number) => number,
  signal: AbortSignal,
): Promise<void> {
  const { ref, repository, failedChecks } = due;
  const workerLost = isWorkerLost(repository);
  const result = await readTips(deps, due, signal);
  signal.throwIfAborted();
  const isRetried = repository.state === 'failed' && !workerLost;
  const retries = isRetried ? failedChecks + 1 : 0;
  const failures = 'error' in result ? failedChecks + 1 : retries;
  await recordCheck(deps.database.queries, due, {
    checkedAt: deps.clock(),
    nextCheckAt: nextAfter(failures),
    failedChecks: failures,
    error: 'error' in result && !workerLost ? result.error : undefined,
  });
  if ('tips' in result && (isRetried || (await hasMoved(deps, due, result.tips)))) {
    await startFetch(deps, ref);
    // Its host has not reported this push, so its webhook may be missing.
    await watchPushes(deps, due, signal);
  }
}

async function watchPushes(
  { sources, log }: FollowDeps,
  { ref, repository }: DueRepository,
  signal: AbortSignal,
): Promise<void> {
  try {
    await sources?.watch({ ...repository, organizationId: ref.scope.organizationId }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn({ err: error, repositoryId: ref.id }, 'pushes to a repository are found by polling only');
  }
}

type ReadTips = { readonly tips: RemoteTips } | { readonly error: NonNullable<Repository['error']> };

async function readTips(
  deps: FollowDeps,
  { ref, repository }: DueRepository,
  signal: AbortSignal,
): Promise<ReadTips> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(totalMs)]);
  const read = (locate: boolean): Promise<RemoteTips> =>
    reachRepository(
      deps,
      { ref, repository, signal: limited },
      (request) =>
        readSourceTips({ ...request, limits: { ...defaultMirrorLimits, stallMs } }, deps.git.dataDir),
      { locate },
    );
  try {
    const tips = await read(false).catch((error: unknown) => {
      // It may have a new name at its Git host, which costs a request to find out.
      const isGone = error instanceof GitError && error.reason === 'not_found';
      if (!isGone || repository.hostRepositoryId === undefined) throw error;
      return read(true);
    });
    return { tips };
  } catch (error) {
    if (limited.aborted && !signal.aborted) {
      const message = `The source did not respond within ${totalMs / 1_000} seconds.`;
      return { error: { code: 'git_timed_out', message } };
    }
    return { error: describeFailure(error).error };
  }
}

async function hasMoved(
  { git }: FollowDeps,
  { ref, repository }: DueRepository,
  tips: RemoteTips,
): Promise<boolean> {
  if (isIndexed(repository, tips)) return false;
  // An index may leave branches out that the mirror has. Then a fetch would find nothing new.
  const gitDir = mirrorPath(git.dataDir, ref.scope, ref.id);
  return !(await hasMirror(gitDir)) || !(await mirrorHolds(gitDir, tips));
}

function isIndexed({ indexedBranches }: Repository, { head, further }: RemoteTips): boolean {
  const [first, ...others] = indexedBranches;
  const indexed = new Map(others.map(({ name, commit }) => [name, commit]));
  return (
    first?.name === head.branch &&
    first.commit === head.commit &&
    indexed.size === further.length &&
    further.every(({ branch, commit }) => indexed.get(branch) === commit)
  );
}

/** Starts a fetch of a repository that is idle. Work in flight reads the source anyway. */
async function startFetch(
  { database, clock }: Pick<WorkDeps, 'database' | 'clock'>,
  ref: RepositoryRef,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await changeState(tx, ref, 'queued', clock(), ['indexed', 'failed']))) return;
    const payload = { organizationId: ref.scope.organizationId, repositoryId: ref.id };
    await enqueue(tx, repositoryFetch, payload, { runAt: clock() });
  });
}
