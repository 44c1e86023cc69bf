import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { RepositoriesDeps } from './repositories-deps.ts';
import type { Repository } from './repository.ts';
import { changeState } from './repository-state-store.ts';
import { getRepository, requireRepository } from './repository-store.ts';
import { repositoryClone } from './tasks.ts';

/**
 * Starts to bring a repository up to its source; the last good index answers meanwhile. Asked during a run, another
 * run follows; asked twice before one, they are one.
 * @throws NotFound, alike for unknown and foreign ids; Conflict while it is being removed.
 */
export async function syncRepository(
  deps: Pick<RepositoriesDeps, 'database' | 'clock'>,
  scope: OrgScope,
  id: RepositoryId,
): Promise<Repository> {
  return deps.database.transaction(async (tx) => {
    const repository = await requireRepository(tx, scope, id);
    // Work under way keeps its state, which its own next step depends on.
    await changeState(tx, { scope, id }, 'queued', deps.clock(), ['indexed', 'failed']);
    const after = await getRepository(tx, scope, id);
    if (after === undefined || after.state === 'removing') {
      throw new Conflict('conflict', `${repository.name} is being removed: add it again to have it back.`);
    }
    const payload = { organizationId: scope.organizationId, repositoryId: id };
    // Now, also where a failed run still waits for its next attempt: whoever asks has mended the cause.
    await enqueue(tx, repositoryClone, payload, { runAt: deps.clock() });
    return after;
  });
}
