import type { Queries } from '../../foundation/db/database.ts';
import { checkBranchPatterns } from '../../foundation/git/branch-pattern.ts';
import { checkFolder } from '../../foundation/git/check-folder.ts';
import { parseSource } from '../../foundation/git/parse-source.ts';
import { checkRefName } from '../../foundation/git/ref-name.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';
import { newId, type RepositoryId } from '../../foundation/kernel/ids.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { RepositoriesDeps } from './repositories-deps.ts';
import type { Repository } from './repository.ts';
import { checkRepositoryName } from './repository-name.ts';
import { findTwin, getRepository, insertRepository, type NewRepository } from './repository-store.ts';
import { repositoryClone } from './tasks.ts';

export interface RepositoryRequest {
  /** An https or ssh URL, or a folder of this host. */
  readonly source: string;
  readonly branch?: string | undefined;
  /** Further branches to follow: exact names, or patterns in which `*` stands for any characters. */
  readonly branches?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly githostConnectionId?: string | undefined;
}

/**
 * Adds a repository and starts to clone it: the record and its job exist together or not at all. Whether the source
 * can be reached shows in the record's state; each clone and fetch checks its host again.
 * @throws InvalidInput for a bad source, branch, pattern of branches or name; Conflict `repository_exists` naming the one there is.
 */
export async function addRepository(
  deps: RepositoriesDeps,
  scope: OrgScope,
  request: RepositoryRequest,
): Promise<Repository> {
  const wanted = await checkRequest(deps, request);
  return deps.database.transaction(async (tx) => {
    const id = newId<RepositoryId>(deps.clock());
    if (!(await insertRepository(tx, scope, id, wanted, deps.clock())))
      throw await conflict(tx, scope, wanted);
    await enqueue(tx, repositoryClone, { organizationId: scope.organizationId, repositoryId: id });
    const repository = await getRepository(tx, scope, id);
    if (repository === undefined) throw new Error('a repository vanished inside its own transaction');
    return repository;
  });
}

async function checkRequest(deps: RepositoriesDeps, request: RepositoryRequest): Promise<NewRepository> {
  if (request.githostConnectionId !== undefined) {
    const message = 'names no Git-host connection of this organization; leave it out';
    throw invalidField('githostConnectionId', message);
  }
  const source = parseSource(request.source, deps);
  return {
    name: checkRepositoryName(request.name ?? source.defaultName),
    source: source.kind === 'folder' ? await checkFolder(source.url, deps) : source.displayName,
    sourceKind: source.kind,
    branch: request.branch === undefined ? undefined : checkRefName(request.branch),
    furtherBranches: checkBranchPatterns(request.branches ?? []),
  };
}

async function conflict(tx: Queries, scope: OrgScope, wanted: NewRepository): Promise<Conflict> {
  const twin = await findTwin(tx, scope, wanted);
  if (twin === undefined) return new Conflict('repository_exists', 'This repository exists already.');
  if (twin.state === 'removing') {
    return new Conflict('repository_exists', `${twin.name} is being removed: try again in a moment.`);
  }
  return new Conflict(
    'repository_exists',
    twin.name === wanted.name
      ? `A repository named ${twin.name} exists already (${twin.source}): sync it, or give the new one another name.`
      : `This source exists already as ${twin.name}: sync that one, or give another branch.`,
    { detail: { repositoryId: twin.id } },
  );
}
