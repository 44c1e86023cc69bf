import { isAbsolute } from 'node:path';
import { GitError } from '../../foundation/git/git-error.ts';
import type { GitSource } from '../../foundation/git/git-source.ts';
import { parseSource } from '../../foundation/git/parse-source.ts';
import { readsFrom } from '../../foundation/git/reads-from.ts';
import { ensureContextRepository } from '../../foundation/git/writing/context-repository.ts';
import { tendContextRepository } from '../../foundation/git/writing/tend-context-repository.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../foundation/jobs/handler.ts';
import { readQueueTime } from '../../foundation/jobs/queue-time.ts';
import { nextChanges } from './change-store.ts';
import { type CommitRun, withCredentials } from './commit-run.ts';
import { landCommit } from './land-commit.ts';
import { pathRefusal } from './mirror-change.ts';
import type { MirrorDeps } from './mirror-deps.ts';
import { type MirrorTarget, spacedUntil } from './mirror-target.ts';
import { findTarget, recordError, recordSuccess } from './mirror-target-store.ts';
import { settleFailure } from './settle-failure.ts';
import { copyPath } from './target-copy.ts';
import { type MirrorPayload, mirrorCommit } from './tasks.ts';

/** Of one commit; a file of more bytes alone is a commit of its own. */
const commitLimits = { rows: 5_000, bytes: 128 * 1024 ** 2 } as const;

/**
 * The job that brings what waits for a target into its repository: commits of bounded size, each pushed and then taken
 * off the list, until everything has been seen once. What is queued meanwhile has a job of its own. Killed anywhere, the
 * next run repeats harmlessly: what the remote has already makes no commit.
 *
 * A failure is shown on the target and thrown. One that only a person can mend ends the job: it is dead until new
 * changes arrive (after `errorHoldMs`) or an operator retries it; the changes stay.
 */
export async function commitChanges(
  deps: MirrorDeps,
  payload: MirrorPayload,
  context: JobContext,
): Promise<void> {
  const { queries } = deps.database;
  const target = await findTarget(queries, payload.targetId);
  if (target === undefined || (await postpone(deps, target))) return;
  try {
    await drain(deps, target, context);
  } catch (error) {
    // Without its target the failure is nobody's, and the work is over.
    if ((await findTarget(queries, target.id)) === undefined) return;
    await settleFailure(deps, target, context, error);
    throw error;
  }
}

/** A target that has just had a commit waits a little, so that a burst of edits becomes few commits. */
async function postpone({ database, clock }: MirrorDeps, target: MirrorTarget): Promise<boolean> {
  const now = await readQueueTime(database.queries, clock);
  const runAt = spacedUntil(target, now);
  if (runAt <= now) return false;
  await database.transaction((tx) => enqueue(tx, mirrorCommit, { targetId: target.id }, { runAt }));
  return true;
}

async function drain(deps: MirrorDeps, target: MirrorTarget, context: JobContext): Promise<void> {
  const { queries } = deps.database;
  let changes = await nextChanges(queries, target.id, undefined, commitLimits);
  if (changes.length === 0) return settleEmpty(deps, target, context);
  const run = await openRun(deps, target, context);
  let parent = await tipOf(run);
  const refused: string[] = [];
  while (changes.length > 0) {
    const writable = changes.filter(({ path }) => pathRefusal(path) === undefined);
    refused.push(...changes.flatMap(({ path }) => pathRefusal(path) ?? []));
    if (writable.length > 0) parent = await landCommit(run, writable, parent, () => tipOf(run));
    context.signal.throwIfAborted();
    changes = await nextChanges(queries, target.id, changes.at(-1)?.path, commitLimits);
  }
  await showRefused(run, refused);
  await tend(run);
}

/**
 * Paths that could be queued once and may not be written any more, since another version of this program has other rules
 * for them. They wait where an operator sees them, and keep nothing else from being committed.
 */
async function showRefused({ deps, target, context }: CommitRun, refused: readonly string[]): Promise<void> {
  const [first] = refused;
  if (first === undefined) return;
  const others = refused.length === 1 ? '' : ` (And ${refused.length - 1} more.)`;
  const message = `${first}${others} Rename it where it comes from. All else is committed.`;
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const at = await readQueueTime(tx, deps.clock);
    await recordError(tx, target.id, { code: 'path_refused', message, permanent: false, at });
  });
}

async function settleEmpty(deps: MirrorDeps, target: MirrorTarget, context: JobContext): Promise<void> {
  if (target.error === undefined) return;
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    await recordSuccess(tx, target.id, undefined);
  });
}

async function openRun(deps: MirrorDeps, target: MirrorTarget, context: JobContext): Promise<CommitRun> {
  return {
    deps,
    target,
    context,
    source: await sourceOf(deps, target),
    gitDir: copyPath(deps.git.dataDir, target),
    credentials: await deps.credentials(target),
  };
}

/** Whether a folder may be named was judged when the target was made; where it leads is looked at each time. */
async function sourceOf({ git }: MirrorDeps, target: MirrorTarget): Promise<GitSource> {
  const isFolder = isAbsolute(target.source);
  const source = parseSource(target.source, { allowLocal: isFolder, allowHosts: git.allowHosts });
  if (isFolder && (await readsFrom(git.dataDir, source.url))) {
    throw new GitError('not_found', 'The folder cannot be written any more. Ask whoever runs this service.');
  }
  return source;
}

async function tipOf(run: CommitRun): Promise<string | undefined> {
  const { source, gitDir, deps, context, target } = run;
  const { tip } = await withCredentials(run, (credentials) =>
    ensureContextRepository({
      source,
      branch: target.branch,
      gitDir,
      ...credentials,
      deps: deps.git,
      signal: context.signal,
    }),
  );
  return tip;
}

/** The work is done by then: a copy that cannot be tended is made anew when it no longer works. */
async function tend({ gitDir, context }: CommitRun): Promise<void> {
  try {
    await tendContextRepository(gitDir, context.signal);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    context.log.warn({ err: error }, 'upkeep of the copy of a context repository failed');
  }
}
