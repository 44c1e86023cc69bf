import type { CodeIndex } from '../../../backends/codesearch/port.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { GitDeps } from '../../../foundation/git/process/git-deps.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { isLastRun } from '../../../foundation/jobs/retry-decision.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { SourceGate } from '../../githosts/source-access.ts';
import { organizationScope } from '../../identity/people/organization-store.ts';
import { mirrorPath } from '../indexing/mirror-path.ts';
import type { Repository, RepositoryState } from '../repository.ts';
import { changeState, type RepositoryRef, recordFailure } from '../repository-state-store.ts';
import { getRepository } from '../repository-store.ts';
import type { RepositoryPayload } from '../tasks.ts';
import { describeFailure } from './failure.ts';
import { type ShowProgress, withProgress } from './show-progress.ts';

/** The dependencies of the repository jobs. */
export interface WorkDeps {
  readonly database: Database;
  readonly codeIndex: CodeIndex;
  /** Its `dataDir` holds the mirrors. */
  readonly git: GitDeps;
  readonly clock: Clock;
  /** Default: repositories have neither credentials nor keys of their organization. */
  readonly sources?: SourceGate;
  /** Time limit of a fetch after a push, in milliseconds; then the clone job fetches. Default: one minute. */
  readonly fetchMs?: number | undefined;
}

/** The input of one run of work on a repository. */
export interface Work {
  readonly ref: RepositoryRef;
  readonly repository: Repository;
  readonly gitDir: string;
  readonly show: ShowProgress;
  /** Aborted when the lease is lost or the repository leaves the state, for example because it is removed. */
  readonly signal: AbortSignal;
}

/**
 * Changes a repository to `state` and runs work on it. Does nothing if that change is not allowed: the repository was
 * removed or is being removed, or other work on it is queued. Records a failure on the repository. A temporary
 * failure is thrown, so that the queue retries it; a permanent one ends the job, and the user may retry with a sync.
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
  const target = { queries, clock: deps.clock, ref, state };
  try {
    await withProgress(target, context.signal, (show, signal) =>
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
  const final = isLastRun(error, context);
  context.log.warn({ err: error, repositoryId: ref.id, final }, 'repository work failed');
  await recordFailure(deps.database.queries, ref, { error: failure.error, final }, deps.clock());
  if (!failure.permanent) throw error;
}
