import { organizationScope } from '../identity/people/organization-store.ts';
import { mirrorPath, removeMirror } from './mirror-path.ts';
import { deleteRepository } from './repository-state-store.ts';
import { getRepository } from './repository-store.ts';
import type { WorkDeps } from './repository-work.ts';
import type { RepositoryPayload } from './tasks.ts';

/**
 * The job behind `removeRepository`. The row goes last: while it is there the job can be found and done again, and
 * each step may run twice.
 */
export async function eraseRepository(deps: WorkDeps, payload: RepositoryPayload): Promise<void> {
  const { queries } = deps.database;
  const scope = await organizationScope(queries, payload.organizationId);
  const repository = scope && (await getRepository(queries, scope, payload.repositoryId));
  if (scope === undefined || repository?.state !== 'removing') return;
  await deps.codeIndex.remove(scope, repository.id);
  await removeMirror(mirrorPath(deps.git.dataDir, scope, repository.id));
  await deleteRepository(queries, { scope, id: repository.id });
}
