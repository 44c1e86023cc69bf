import { checkBranchPatterns } from '../../../foundation/git/source/branch-pattern.ts';
import { checkRefName } from '../../../foundation/git/source/ref-name.ts';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { leaveHook } from '../../githosts/remove-hook.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { lockOrganization } from '../../identity/people/membership-store.ts';
import { auditRepository } from '../audit-repository.ts';
import type { RepositoriesDeps } from '../repositories-deps.ts';
import type { Repository } from '../repository.ts';
import { checkRepositoryName } from '../repository-name.ts';
import { findDuplicate, requireRepository, updateSource } from '../repository-store.ts';
import { syncWithin } from '../sync-repository.ts';
import { type CheckedSource, checkSource } from './add-repository.ts';
import { refuseNested } from './refuse-nested.ts';

/** The changes of a repository; an absent field stays. */
export interface RepositoryChanges {
  readonly source?: string | undefined;
  /** `null` follows the default branch of the source. */
  readonly branch?: string | null | undefined;
  readonly branches?: readonly string[] | undefined;
  readonly name?: string | undefined;
  /** `null` reads the source without credentials. */
  readonly githostConnectionId?: string | null | undefined;
}

/**
 * Changes the source, credentials, branches or name of a repository and starts a sync, in one transaction. The last
 * good index stays searchable until the sync is complete. A webhook at the former Git host is removed.
 * @throws InvalidInput for a bad source, branch, branch pattern or name; NotFound, for unknown ids and for ids of other
 *   organizations alike; Conflict while it is being removed, or if another repository has that source and branch.
 */
export async function setRepository(
  deps: RepositoriesDeps,
  scope: OrgScope,
  actor: AuditActor,
  id: RepositoryId,
  changes: RepositoryChanges,
): Promise<Repository> {
  const { branch, branches, name } = changes;
  const checked = {
    ...(await sourceOf(deps, scope, id, changes)),
    ...(name !== undefined && { name: checkRepositoryName(name) }),
    ...(branch !== undefined && { branch: branch === null ? undefined : checkRefName(branch) }),
    ...(branches !== undefined && { furtherBranches: checkBranchPatterns(branches) }),
  };
  return deps.database.transaction(async (tx) => {
    if (name !== undefined) await lockOrganization(tx, scope.organizationId);
    const former = await requireRepository(tx, scope, id);
    const wanted = { ...former, ...checked };
    const other = await findDuplicate(tx, scope, wanted);
    if (other !== undefined) {
      const message =
        other.name === wanted.name
          ? `A repository named ${other.name} exists already. Choose another name.`
          : `This source exists already as ${other.name}. Choose another source or branch.`;
      throw new Conflict('repository_exists', message, { detail: { repositoryId: other.id } });
    }
    if (wanted.name !== former.name) await refuseNested(tx, scope, { id, name: wanted.name });
    await updateSource(tx, scope, id, wanted);
    if (!isSameAtHost(former, wanted)) await leaveHook(tx, scope.organizationId, former);
    const repository = await syncWithin(tx, scope, id, deps.clock());
    const { githostConnectionId } = changes;
    const details = { source: checked.source, branch, branches, name, githostConnectionId };
    await auditRepository(tx, scope, actor, { action: 'changed', repository, details }, deps.clock());
    return repository;
  });
}

function isSameAtHost(one: Partial<CheckedSource>, other: Partial<CheckedSource>): boolean {
  return (
    one.githostConnectionId === other.githostConnectionId && one.hostRepositoryId === other.hostRepositoryId
  );
}

/** Returns the changed source and credentials; nothing if neither changes. */
async function sourceOf(
  deps: RepositoriesDeps,
  scope: OrgScope,
  id: RepositoryId,
  { source, githostConnectionId }: RepositoryChanges,
): Promise<Partial<CheckedSource>> {
  if (source === undefined && githostConnectionId === undefined) return {};
  const present = await requireRepository(deps.database.queries, scope, id);
  const connection = githostConnectionId === undefined ? present.githostConnectionId : githostConnectionId;
  return checkSource(deps, scope, {
    source: source ?? present.source,
    githostConnectionId: connection ?? undefined,
  });
}
