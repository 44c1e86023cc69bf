import type { Queries } from '../../../foundation/db/database.ts';
import { checkBranchPatterns } from '../../../foundation/git/source/branch-pattern.ts';
import { checkFolder } from '../../../foundation/git/source/check-folder.ts';
import { parseSource } from '../../../foundation/git/source/parse-source.ts';
import { checkRefName } from '../../../foundation/git/source/ref-name.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import { newId, type RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import { findHostedSource } from '../../githosts/host-repositories.ts';
import { withOperatorHosts } from '../../githosts/source-access.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { lockOrganization } from '../../identity/people/membership-store.ts';
import { auditRepository } from '../audit-repository.ts';
import type { RepositoriesDeps } from '../repositories-deps.ts';
import type { Repository } from '../repository.ts';
import { checkRepositoryName } from '../repository-name.ts';
import { findDuplicate, getRepository, insertRepository, type NewRepository } from '../repository-store.ts';
import { repositoryClone } from '../tasks.ts';
import { refuseNested } from './refuse-nested.ts';

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
 * Adds a repository and starts to clone it; the record and its job are stored in one transaction. The state of the
 * record shows later whether the source is reachable; each clone and fetch checks its host again.
 * @throws InvalidInput for a bad source, branch, branch pattern or name, also one that `refuseNested` refuses; Conflict
 *   `repository_exists` naming the existing repository.
 */
export async function addRepository(
  deps: RepositoriesDeps,
  scope: OrgScope,
  actor: AuditActor,
  request: RepositoryRequest,
): Promise<Repository> {
  return addChecked(deps, scope, actor, await checkRequest(deps, scope, request));
}

/**
 * Adds a repository whose source `checkRequest` has checked. @throws Conflict, and InvalidInput for its name, as
 * `addRepository`
 */
export async function addChecked(
  deps: RepositoriesDeps,
  scope: OrgScope,
  actor: AuditActor,
  wanted: NewRepository,
): Promise<Repository> {
  return deps.database.transaction(async (tx) => {
    await lockOrganization(tx, scope.organizationId);
    const id = newId<RepositoryId>(deps.clock());
    if (!(await insertRepository(tx, scope, id, wanted, deps.clock())))
      throw await conflict(tx, scope, wanted);
    await refuseNested(tx, scope, { id, name: wanted.name });
    await enqueue(tx, repositoryClone, { organizationId: scope.organizationId, repositoryId: id });
    const repository = await getRepository(tx, scope, id);
    if (repository === undefined)
      throw new Error('a repository was not found in the transaction that inserted it');
    const { source, branch } = repository;
    await auditRepository(
      tx,
      scope,
      actor,
      { action: 'added', repository, details: { source, branch } },
      deps.clock(),
    );
    return repository;
  });
}

/** Checks a request as `checkSource` checks its source. @throws InvalidInput also for a bad branch, pattern or name */
export async function checkRequest(
  deps: RepositoriesDeps,
  scope: OrgScope,
  request: RepositoryRequest,
): Promise<NewRepository> {
  const { defaultName, ...source } = await checkSource(deps, scope, request);
  return {
    ...source,
    name: checkRepositoryName(request.name ?? defaultName),
    branch: request.branch === undefined ? undefined : checkRefName(request.branch),
    furtherBranches: checkBranchPatterns(request.branches ?? []),
  };
}

/** The origin of a repository and the credentials that read it. */
export type CheckedSource = Pick<
  NewRepository,
  'source' | 'sourceKind' | 'githostConnectionId' | 'hostRepositoryId'
> & { readonly defaultName: string };

/** Time limit for asking a Git host about a repository, in milliseconds. */
const hostTimeoutMs = 30_000;

/**
 * Checks the source of a repository; a folder is stored by its real path. With a Git-host connection, the source is a
 * full name or a URL at that host, which is asked for the repository.
 * @throws InvalidInput, also for a connection of another organization; the errors of the Git host
 */
export async function checkSource(
  deps: RepositoriesDeps,
  scope: OrgScope,
  { source: given, githostConnectionId }: Pick<RepositoryRequest, 'source' | 'githostConnectionId'>,
): Promise<CheckedSource> {
  if (githostConnectionId !== undefined) return checkHosted(deps, scope, given, githostConnectionId);
  const { kind, url, displayName, defaultName } = parseSource(given, deps);
  const source = kind === 'folder' ? await checkFolder(url, deps) : displayName;
  return {
    source,
    sourceKind: kind,
    githostConnectionId: undefined,
    hostRepositoryId: undefined,
    defaultName,
  };
}

async function checkHosted(
  { githosts, allowHosts }: RepositoriesDeps,
  scope: OrgScope,
  source: string,
  githostConnectionId: string,
): Promise<CheckedSource> {
  if (githosts === undefined) {
    throw invalidField('githostConnectionId', 'cannot be used here: this service has no Git hosts');
  }
  const signal = AbortSignal.timeout(hostTimeoutMs);
  const found = await findHostedSource(githosts, scope, { githostConnectionId, source }, signal);
  const parsed = parseSource(found.source, withOperatorHosts({ allowLocal: false, allowHosts }, githosts));
  return {
    source: parsed.displayName,
    sourceKind: parsed.kind,
    githostConnectionId,
    hostRepositoryId: found.hostRepositoryId,
    defaultName: found.fullName ?? parsed.defaultName,
  };
}

async function conflict(tx: Queries, scope: OrgScope, wanted: NewRepository): Promise<Conflict> {
  const duplicate = await findDuplicate(tx, scope, wanted);
  if (duplicate === undefined) return new Conflict('repository_exists', 'This repository exists already.');
  if (duplicate.state === 'removing') {
    return new Conflict('repository_exists', `${duplicate.name} is being removed. Try again in a moment.`);
  }
  return new Conflict('repository_exists', existsAlready(duplicate, wanted), {
    detail: { repositoryId: duplicate.id },
  });
}

function existsAlready({ name, source, state }: Repository, wanted: NewRepository): string {
  if (name !== wanted.name) {
    return `This source exists already as ${name}. Sync it, or choose another branch.`;
  }
  const existing = `A repository named ${name} exists already (${source})`;
  return state === 'failed'
    ? `${existing}, but it failed. Change its source: "orgctx repo set ${name} --source ${wanted.source}".`
    : `${existing}. Sync it, or choose another name for the new one (--name on the command line).`;
}
