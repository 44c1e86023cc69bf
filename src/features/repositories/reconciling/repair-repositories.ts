import { dirname } from 'node:path';
import { deleteLeftovers } from '../../../foundation/git/mirror/build-bare.ts';
import { hasStopper } from '../../../foundation/jobs/inspect/keyed-jobs.ts';
import { enqueueCompaction } from '../indexing/compact-repository.ts';
import { mirrorPath } from '../indexing/mirror-path.ts';
import type { Repository } from '../repository.ts';
import { type RepositoryRef, recordIndex } from '../repository-state-store.ts';
import { listEveryRepository } from '../repository-store.ts';
import { resumeRepository } from '../resume-repository.ts';
import { repositoryCompact } from '../tasks.ts';
import type { WorkDeps } from './repository-work.ts';
import { resumeDefinitions } from './resume-definitions.ts';

/**
 * Repairs all repositories at the start of a worker. Updates each row from its index manifest, which decides the
 * results of searches (a kill may occur between the two writes), enqueues a job for work without one, and deletes
 * leftovers of killed clones.
 */
export async function repairRepositories(deps: WorkDeps): Promise<void> {
  const folders = new Set<string>();
  for await (const { ref, repository } of listEveryRepository(deps.database.queries)) {
    folders.add(dirname(mirrorPath(deps.git.dataDir, ref.scope, ref.id)));
    await resumeRepository(deps, ref, repository, await repairIndex(deps, ref, repository));
  }
  for (const folder of folders) await deleteLeftovers(folder);
}

/**
 * Updates the row from the manifest. Returns true if the row names an index that is missing or cannot be read. Such a
 * row is kept, so that search results can report the damage.
 */
async function repairIndex(
  { database, codeIndex, clock }: WorkDeps,
  ref: RepositoryRef,
  repository: Repository,
): Promise<boolean> {
  if (repository.state === 'removing') return false;
  const status = await codeIndex.status(ref.scope, ref.id);
  if (status === undefined) return repository.indexedCommit !== undefined;
  const agrees =
    status.commit === repository.indexedCommit &&
    status.generation === repository.indexGeneration &&
    status.filesWithoutDefinitions === repository.filesWithoutDefinitions;
  if (!agrees) await recordIndex(database.queries, ref, status, clock());
  // Another indexer version wrote the index, or a kill left it fragmented.
  if (status.needsCompaction && !(await hasStopper(database.queries, repositoryCompact, ref.id)))
    await enqueueCompaction(
      database.queries,
      { organizationId: ref.scope.organizationId, repositoryId: ref.id },
      clock(),
    );
  await resumeDefinitions({ database }, ref, { ...repository, ...status });
  return false;
}
