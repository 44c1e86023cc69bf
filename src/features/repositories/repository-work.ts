import type { CodeIndex } from '../../backends/codesearch/port.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { GitDeps } from '../../foundation/git/git-deps.ts';
import type { JobContext } from '../../foundation/jobs/handler.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { organizationScope } from '../identity/people/organization-store.ts';
import { describeFailure } from './failure.ts';
import { mirrorPath } from './mirror-path.ts';
import type { Repository, RepositoryState } from './repository.ts';
import { changeState, type RepositoryRef, recordFailure } from './repository-state-store.ts';
import { getRepository } from './repository-store.ts';
import { type ShowProgress, whileShowing } from './show-progress.ts';
import type { RepositoryPayload } from './tasks.ts';

/** What the worker's side of this feature needs. */
export interface WorkDeps {
  readonly database: Database;
  readonly codeIndex: CodeIndex;
  /** Its `dataDir` holds the mirrors. */
  readonly git: GitDeps;
  readonly clock: Clock;
}

/** One repository in the state that belongs to the work. */
export interface Work {
  readonly ref: RepositoryRef;
  readonly repository: Repository;
  readonly gitDir: string;
  readonly show: ShowProgress;
  /** Aborted when the lease is lost and when the repository leaves the state, as it does to be removed. */
  readonly signal: AbortSignal;
}

/**
 * Puts a repository into `state` and works on it. Nothing happens where the state does not allow it: the repository
 * is being removed, is gone, or other work on it is queued. A failure is shown on the record; one that may pass is
 * thrown for the queue to try again, a permanent one ends the job here: trying again is the user's decision (sync).
 */
export async function workOn(
  deps: WorkDeps,
  state: RepositoryState,
  payload: RepositoryPayload,
  context: JobContext,
  work: (work: Work) => Promise<void>,
): Promise<void> {
  const { queries } = deps.database;
  const scope = await organizationScope(queries, payload.organizationId);
  if (scope === undefined) return;
  const ref: RepositoryRef = { scope, id: payload.repositoryId };
  if (!(await changeState(queries, ref, state, deps.clock()))) return;
  const repository = await getRepository(queries, scope, ref.id);
  if (repository === undefined) return;
  const gitDir = mirrorPath(deps.git.dataDir, scope, ref.id);
  const shown = { queries, clock: deps.clock, ref, state };
  try {
    await whileShowing(shown, context.signal, (show, signal) =>
      work({ ref, repository, gitDir, show, signal }),
    );
  } catch (error) {
    if (context.signal.aborted) throw error;
    await settleFailure(deps, ref, context, error);
  }
}

async function settleFailure(
  deps: WorkDeps,
  ref: RepositoryRef,
  context: JobContext,
  error: unknown,
): Promise<void> {
  const failure = describeFailure(error);
  const final = failure.permanent || context.attempt >= context.maxAttempts;
  context.log.warn({ err: error, repositoryId: ref.id, final }, 'repository work failed');
  await recordFailure(deps.database.queries, ref, { error: failure.error, final }, deps.clock());
  if (!failure.permanent) throw error;
}
