import type { IndexRequest } from '../../../backends/codesearch/port.ts';
import { mirroredBranches } from '../../../foundation/git/mirror/mirrored-branches.ts';
import { repeatEvery } from '../../../foundation/jobs/worker/repeat.ts';
import { organizationScope } from '../../identity/people/organization-store.ts';
import type { WorkDeps } from '../reconciling/repository-work.ts';
import type { Repository } from '../repository.ts';
import type { RepositoryRef } from '../repository-state-store.ts';
import { getRepository, getState } from '../repository-store.ts';
import type { RepositoryPayload } from '../tasks.ts';
import { hasMirror, mirrorPath } from './mirror-path.ts';

/** Interval between two checks for a pending push, in milliseconds: the maximum time that a push waits. */
const checkIntervalMs = 100;

/** An indexed repository on which no other work is pending. */
export interface IdleRepository {
  readonly ref: RepositoryRef;
  readonly repository: Repository;
  readonly request: IndexRequest;
}

/**
 * Runs work on the index of a repository while nothing more urgent is pending. Aborts it when the state changes, for
 * example when a push is pending; the job of the push then does what is left. Does nothing unless the repository is
 * indexed.
 */
export async function whileIdle(
  deps: WorkDeps,
  { organizationId, repositoryId }: RepositoryPayload,
  signal: AbortSignal,
  work: (idle: IdleRepository, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { queries } = deps.database;
  const scope = await organizationScope(queries, organizationId);
  if (scope === undefined) return;
  const repository = await getRepository(queries, scope, repositoryId);
  const gitDir = mirrorPath(deps.git.dataDir, scope, repositoryId);
  if (repository?.state !== 'indexed' || !(await hasMirror(gitDir))) return;
  const request = { scope, repository, gitDir, branches: await mirroredBranches(gitDir) };
  const interrupted = new AbortController();
  const watch = repeatEvery(
    checkIntervalMs,
    async () => {
      if ((await getState(queries, scope, repositoryId)) !== 'indexed') interrupted.abort();
    },
    () => undefined,
  );
  const idle = { ref: { scope, id: repositoryId }, repository, request };
  try {
    await work(idle, AbortSignal.any([signal, interrupted.signal]));
  } catch (error) {
    if (!interrupted.signal.aborted || signal.aborted) throw error;
  } finally {
    await watch.stop();
  }
}
