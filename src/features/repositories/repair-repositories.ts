import { dirname } from 'node:path';
import { sweepLeftovers } from '../../foundation/git/build-bare.ts';
import { mirrorPath } from './mirror-path.ts';
import type { Repository } from './repository.ts';
import { type RepositoryRef, recordIndex } from './repository-state-store.ts';
import { listEveryRepository } from './repository-store.ts';
import type { WorkDeps } from './repository-work.ts';
import { resumeRepository } from './resume-repository.ts';
import { enqueueTidy } from './tidy-repository.ts';

/**
 * At the start of a worker: every row is brought to agree with its index manifest, which is the truth of answers
 * (a kill may fall between the two), and work that was under way gets a job where it has lost its own. What killed
 * clones left behind goes too.
 */
export async function repairRepositories(deps: WorkDeps): Promise<void> {
  const folders = new Set<string>();
  for await (const { ref, repository } of listEveryRepository(deps.database.queries)) {
    folders.add(dirname(mirrorPath(deps.git.dataDir, ref.scope, ref.id)));
    await resumeRepository(deps, ref, repository, await repairIndex(deps, ref, repository));
  }
  for (const folder of folders) await sweepLeftovers(folder);
}

/**
 * Whether the row promises an index that is lost or cannot be read. It goes on promising it: answers say that it is
 * damaged, which they could not of one that the row no longer knows.
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
    // Rows of before there were any.
    status.branches.length === repository.indexedBranches.length;
  if (!agrees) await recordIndex(database.queries, ref, status, clock());
  // Of a former program, or left apart by pushes before a kill.
  if (status.untidy)
    await enqueueTidy(
      database.queries,
      { organizationId: ref.scope.organizationId, repositoryId: ref.id },
      clock(),
    );
  return false;
}
