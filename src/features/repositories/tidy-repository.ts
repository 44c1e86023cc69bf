import type { Queries } from '../../foundation/db/database.ts';
import { mirroredBranches } from '../../foundation/git/mirrored-branches.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../foundation/jobs/handler.ts';
import { repeatEvery } from '../../foundation/jobs/repeat.ts';
import { organizationScope } from '../identity/people/organization-store.ts';
import { hasMirror, mirrorPath } from './mirror-path.ts';
import { type RepositoryRef, recordIndex } from './repository-state-store.ts';
import { getRepository } from './repository-store.ts';
import type { WorkDeps } from './repository-work.ts';
import { type RepositoryPayload, repositoryTidy } from './tasks.ts';

/** Pushes come in groups: the next one is let by. */
const quietMs = 2_000;
/** A push that waits has waited so long at most. */
const lookMs = 100;

/** Work for a quiet moment. */
export async function enqueueTidy(tx: Queries, payload: RepositoryPayload, now: number): Promise<void> {
  await enqueue(tx, repositoryTidy, payload, { runAt: now + quietMs });
}

/**
 * Brings along what pushes left for later in the index of a repository. It gives way as soon as anything else is to be done with
 * the repository: the job of that asks for tidying again where it is still of use.
 */
export async function tidyRepository(
  deps: WorkDeps,
  { organizationId, repositoryId }: RepositoryPayload,
  context: JobContext,
): Promise<void> {
  const scope = await organizationScope(deps.database.queries, organizationId);
  if (scope === undefined) return;
  const ref: RepositoryRef = { scope, id: repositoryId };
  const repository = await getRepository(deps.database.queries, scope, repositoryId);
  const gitDir = mirrorPath(deps.git.dataDir, scope, repositoryId);
  if (repository?.state !== 'indexed' || !(await hasMirror(gitDir))) return;
  const branches = await mirroredBranches(gitDir);
  await whileIndexed(deps, ref, context.signal, async (signal) => {
    const status = await deps.codeIndex.tidy({ scope, repository, gitDir, branches }, signal);
    await deps.database.transaction(async (tx) => {
      await context.assertHeld(tx);
      await recordIndex(tx, ref, status, deps.clock());
    });
  });
}

/** The signal of the work is aborted when the repository is in another state, as it is once a push waits for it. */
async function whileIndexed(
  { database }: WorkDeps,
  ref: RepositoryRef,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const giveWay = new AbortController();
  const watch = repeatEvery(
    lookMs,
    async () => {
      const repository = await getRepository(database.queries, ref.scope, ref.id);
      if (repository?.state !== 'indexed') giveWay.abort();
    },
    () => undefined,
  );
  try {
    await work(AbortSignal.any([signal, giveWay.signal]));
  } catch (error) {
    if (!giveWay.signal.aborted || signal.aborted) throw error;
  } finally {
    await watch.stop();
  }
}
