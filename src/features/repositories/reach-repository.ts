import type { MirrorRequest } from '../../foundation/git/mirror/mirror.ts';
import { GitError } from '../../foundation/git/process/git-error.ts';
import { parseSource } from '../../foundation/git/source/parse-source.ts';
import { readsFrom } from '../../foundation/git/source/reads-from.ts';
import type { SourceAccess } from '../githosts/source-access.ts';
import type { WorkDeps } from './reconciling/repository-work.ts';
import type { Repository } from './repository.ts';
import type { RepositoryRef } from './repository-state-store.ts';
import { moveSource } from './repository-store.ts';

/** A repository whose source Git is to read. */
export interface Reached {
  readonly ref: RepositoryRef;
  readonly repository: Repository;
  readonly signal: AbortSignal;
}

/** The part of a request that follows from the record and the credentials of the repository. */
export type SourceRequest = Pick<
  MirrorRequest,
  'source' | 'branch' | 'branches' | 'credentials' | 'signal' | 'deps'
>;

/**
 * Runs work that reads the source of a repository, with the credentials or the SSH key of its organization. With
 * `locate`, the Git host is asked for the present address first, so that a renamed repository is followed.
 * @throws GitError, RefusedDestination, OutboundError
 */
export async function reachRepository<T>(
  deps: Pick<WorkDeps, 'database' | 'git' | 'sources'>,
  { ref, repository, signal }: Reached,
  work: (request: SourceRequest) => Promise<T>,
  { locate = false }: { readonly locate?: boolean } = {},
): Promise<T> {
  const read = async (address: string, { git, credentials }: SourceAccess): Promise<T> => {
    // Permission for a folder was checked when it was added; a host is checked at each connection.
    const source = parseSource(address, {
      allowLocal: repository.sourceKind === 'folder',
      allowHosts: git.allowHosts,
    });
    if (source.kind === 'folder' && (await readsFrom(git.dataDir, source.url))) {
      throw new GitError('not_found', 'The folder can no longer be read. Ask the operator of this service.');
    }
    return work({
      source,
      ...(repository.branch === undefined ? {} : { branch: repository.branch }),
      branches: repository.furtherBranches,
      credentials,
      signal,
      deps: { ...git, organizationId: ref.scope.organizationId },
    });
  };
  const { sources } = deps;
  if (sources === undefined) return read(repository.source, { git: deps.git, credentials: undefined });
  const hosted = { ...repository, organizationId: ref.scope.organizationId };
  const address = locate ? await sources.locate(hosted, signal) : repository.source;
  if (address !== repository.source) await moveSource(deps.database, ref, address);
  return sources.enter({ ...hosted, source: address, access: 'read' }, signal, (access) =>
    read(address, access),
  );
}
