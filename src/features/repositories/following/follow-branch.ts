import type { Queries } from '../../../foundation/db/database.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import type { RepositoriesDeps } from '../repositories-deps.ts';
import { followsBranch, type Repository } from '../repository.ts';
import { toRepository } from '../repository-row.ts';
import type { NewRepository } from '../repository-store.ts';
import { addChecked, checkRequest } from '../setup/add-repository.ts';
import { setRepository } from '../setup/set-repository.ts';

/** A branch of a repository of a Git host. */
export interface HostedBranch {
  /** Full name, or URL at the host. */
  readonly source: string;
  readonly githostConnectionId: string;
  readonly branch: string;
}

/**
 * Has a branch of a repository indexed: adds the repository or, if the organization has it already, the branch to its
 * further branches. Does nothing if the branch is followed already.
 * @throws as `addRepository`, with Conflict `repository_exists` while the repository is being removed or if another one
 *   has its name; as `setRepository`
 */
export async function followBranch(
  deps: RepositoriesDeps,
  scope: OrgScope,
  actor: AuditActor,
  wanted: HostedBranch,
): Promise<void> {
  const { source, githostConnectionId, branch } = wanted;
  const checked = await checkRequest(deps, scope, { source, githostConnectionId, branch });
  try {
    await addChecked(deps, scope, actor, checked);
  } catch (error) {
    if (!(error instanceof OrgctxError) || error.code !== 'repository_exists') throw error;
    const existing = await repositoriesAt(deps.database.queries, scope, checked);
    if (existing.some((repository) => followsBranch(repository, branch))) return;
    const [first] = existing;
    if (first === undefined) throw error;
    await setRepository(deps, scope, actor, first.id, { branches: [...first.furtherBranches, branch] });
  }
}

/** Lists the repositories of one source that are not being removed, oldest first. */
async function repositoriesAt(
  queries: Queries,
  { organizationId }: OrgScope,
  { source, githostConnectionId, hostRepositoryId = '' }: NewRepository,
): Promise<readonly Repository[]> {
  const rows = await queries
    .selectFrom('repositories')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('state', '!=', 'removing')
    .where((e) =>
      e.or([
        e('source', '=', source),
        e.and([
          e('githost_connection_id', '=', githostConnectionId ?? ''),
          e('host_repository_id', '=', hostRepositoryId),
        ]),
      ]),
    )
    .orderBy('id')
    .execute();
  return rows.map(toRepository);
}
