import { isAbsolute } from 'node:path';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import type { GitSource } from '../../../foundation/git/source/git-source.ts';
import { parseSource } from '../../../foundation/git/source/parse-source.ts';
import { readsFrom } from '../../../foundation/git/source/reads-from.ts';
import { compactContextRepository } from '../../../foundation/git/writing/compact-context-repository.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { deleteDeadJobs } from '../../../foundation/jobs/inspect/retry-jobs.ts';
import { LeaseLost } from '../../../foundation/jobs/lease/lease-lost.ts';
import { readQueueTime } from '../../../foundation/jobs/queue-time.ts';
import { isLastRun, isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import { hasChanges, nextChanges } from '../change-store.ts';
import { type ChangeClass, pathRefusal } from '../mirror-change.ts';
import type { MirrorDeps } from '../mirror-deps.ts';
import { earliestCommitTime, type MirrorError, type MirrorTarget, retryDelay } from '../mirror-target.ts';
import { changeTarget, findTarget } from '../mirror-target-store.ts';
import { copyPath } from '../reconcile-mirror.ts';
import { type MirrorPayload, mirrorCommit } from '../tasks.ts';
import { commitAndPush } from './commit-and-push.ts';
import { type CommitRun, gitOf } from './commit-run.ts';
import { compareBranch } from './compare-branch.ts';

/**
 * Maximum size of one commit. A larger file is committed separately. Those of a backfill are smaller, because edits
 * wait for them. A rebuild is one commit, within the limits of `writeCommit`.
 */
const commitLimits = {
  edit: { rows: 5_000, bytes: 128 * 1024 ** 2 },
  backfill: { rows: 2_000, bytes: 64 * 1024 ** 2 },
  rebuild: { rows: 90_000, bytes: 900 * 1024 ** 2 },
} as const;

/**
 * Compares the branch of a target with its mirrored files, and commits the pending changes to it, as a job. Makes
 * commits of bounded size; pushes each and removes its changes from the queue, until every change has been read once.
 * Edits come first, and those that arrive meanwhile are committed between two commits of a backfill. Other changes
 * queued meanwhile have a job of their own. The job is idempotent: after a kill, content that the remote already has
 * makes no commit.
 *
 * A failure is thrown while the queue retries it. What it would give up is recorded on the target, and tried again
 * after a growing delay; the changes stay.
 */
export async function commitChanges(
  deps: MirrorDeps,
  payload: MirrorPayload,
  context: JobContext,
): Promise<void> {
  const { queries } = deps.database;
  const target = await findTarget(queries, payload.targetId);
  if (target === undefined || (payload.skipsInterval !== true && (await postpone(deps, target)))) return;
  try {
    await drain(deps, target, context);
  } catch (error) {
    // The target was removed meanwhile, so the failure does not matter.
    const present = await findTarget(queries, target.id);
    if (present === undefined || (await settleFailure(deps, present, context, error))) return;
    throw error;
  }
}

/**
 * Postpones a commit that follows another too soon, so that a burst of edits makes few commits. Returns whether it
 * did.
 */
async function postpone({ database, clock }: MirrorDeps, target: MirrorTarget): Promise<boolean> {
  const now = await readQueueTime(database.queries, clock);
  const runAt = earliestCommitTime(target, now);
  if (runAt <= now) return false;
  await database.transaction((tx) => enqueue(tx, mirrorCommit, { targetId: target.id }, { runAt }));
  return true;
}

async function drain(deps: MirrorDeps, target: MirrorTarget, context: JobContext): Promise<void> {
  const run = await openRun(deps, target, context);
  await compareBranch(run);
  const isPending = await hasChanges(deps.database.queries, target.id);
  if (!isPending) return settleEmpty(run);
  await commitClass(run, 'edit');
  await commitClass(run, 'backfill', () => commitClass(run, 'edit'));
  await commitClass(run, 'rebuild');
  await recordRefused(run);
  await compact(run);
}

/** Commits the pending changes of one class, each once; calls `between` before every further commit. */
async function commitClass(
  run: CommitRun,
  changeClass: ChangeClass,
  between?: () => Promise<void>,
): Promise<void> {
  const { deps, target, context } = run;
  const limits = commitLimits[changeClass];
  let after: string | undefined;
  for (;;) {
    const changes = await nextChanges(deps.database.queries, target.id, changeClass, after, limits);
    if (changes.length === 0) return;
    if (after !== undefined) await between?.();
    const writable = changes.filter(({ path }) => {
      const refusal = pathRefusal(path, deps.roots);
      if (refusal !== undefined) run.refused.add(refusal);
      return refusal === undefined;
    });
    if (writable.length > 0) await commitAndPush(run, writable, changeClass);
    context.signal.throwIfAborted();
    after = changes.at(-1)?.path;
  }
}

/**
 * Records paths that were queued under the rules of another version of this program and are no longer allowed. They
 * stay queued, where an operator sees them, and do not block other commits.
 */
async function recordRefused({ deps, target, context, refused }: CommitRun): Promise<void> {
  const [first] = refused;
  if (first === undefined) return;
  const others = refused.size === 1 ? '' : ` (And ${refused.size - 1} more.)`;
  const message = `${first}${others} Rename it at its source. All other files are committed.`;
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const at = await readQueueTime(tx, deps.clock);
    const error: MirrorError = { code: 'path_refused', message, permanent: false, at, failures: 0 };
    await changeTarget(tx, target.id, { error: JSON.stringify(error) });
  });
}

async function settleEmpty({ deps, target, context, compared }: CommitRun): Promise<void> {
  const isKnown = target.compared?.commit === compared?.commit;
  if (target.error === undefined && isKnown) return;
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    await changeTarget(tx, target.id, {
      ...(compared !== undefined && { compared: JSON.stringify(compared) }),
      ...(target.error !== undefined && { error: null, pushing: null }),
    });
    if (target.error !== undefined) await deps.errorChanged?.(tx, target);
  });
}

async function openRun(deps: MirrorDeps, target: MirrorTarget, context: JobContext): Promise<CommitRun> {
  return {
    deps,
    target,
    context,
    source: await sourceOf(deps, target),
    gitDir: copyPath(deps.git.dataDir, target),
    credentials: await deps.credentials(target, context.signal),
    compared: target.compared,
    tip: undefined,
    refused: new Set(),
  };
}

/**
 * Parses the source of a target. Permission for a folder was checked at its creation; its real path is checked each
 * time.
 */
async function sourceOf(deps: MirrorDeps, target: MirrorTarget): Promise<GitSource> {
  const git = gitOf({ deps, target });
  const isFolder = isAbsolute(target.source);
  const source = parseSource(target.source, { allowLocal: isFolder, allowHosts: git.allowHosts });
  if (isFolder && (await readsFrom(git.dataDir, source.url))) {
    throw new GitError('not_found', 'The folder can no longer be written. Ask the operator of this service.');
  }
  return source;
}

/** Compacts the local copy. Its failure is only logged: the commits are done, and a broken copy is created again. */
async function compact({ gitDir, context }: CommitRun): Promise<void> {
  try {
    await compactContextRepository(gitDir, context.signal);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    context.log.warn({ err: error }, 'compacting the copy of a context repository failed');
  }
}

/**
 * Records a failure on the target and plans the next attempt, if the queue would give up: refusals end without a change
 * here, when a person gives a right back or takes a protection away. Returns whether it did.
 */
async function settleFailure(
  { database, clock, errorChanged }: MirrorDeps,
  target: MirrorTarget,
  context: JobContext,
  error: unknown,
): Promise<boolean> {
  if (context.signal.aborted || error instanceof LeaseLost) return false;
  if (!isLastRun(error, context)) return false;
  const { code, message } = error instanceof OrgctxError ? error : unexpected;
  const failures = (target.error?.failures ?? 0) + 1;
  context.log.warn({ err: error, targetId: target.id, failures }, 'a context repository takes no commits');
  await database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const at = await readQueueTime(tx, clock);
    const retryAt = at + retryDelay(failures);
    const permanent = isPermanent(error);
    const refusal: MirrorError = { code, message, permanent, at, failures, retryAt };
    await changeTarget(tx, target.id, { error: JSON.stringify(refusal) });
    await enqueue(tx, mirrorCommit, { targetId: target.id }, { runAt: retryAt });
    await deleteDeadJobs(tx, mirrorCommit, target.id);
    if (code !== target.error?.code || message !== target.error.message) await errorChanged?.(tx, target);
  });
  return true;
}

const unexpected = {
  code: 'internal',
  message:
    'An unexpected error stopped the mirroring; the log of the worker contains it. It will be retried automatically.',
};
