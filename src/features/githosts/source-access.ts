import type { HostAccess } from '../../backends/git-providers/port.ts';
import type { GitDeps } from '../../foundation/git/process/git-deps.ts';
import { GitError, isRefusedAccess } from '../../foundation/git/process/git-error.ts';
import { type GitCredentials, isSameCredentials } from '../../foundation/git/remote/git-credentials.ts';
import type { OrganizationId } from '../../foundation/kernel/ids.ts';
import { credentialsFor } from './credentials.ts';
import { ensurePushHook } from './ensure-hook.ts';
import { findGithost } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { fullNameAt } from './host-repositories.ts';
import { openHost } from './open-host.ts';
import { recordGitAccess, recordGitRefusal } from './record-check.ts';
import { withSshKeyFile } from './ssh-key.ts';

/** A repository of an organization that Git connects to. */
export interface HostedRepository {
  readonly organizationId: OrganizationId;
  readonly githostConnectionId: string | undefined;
  /** The host's own id, if the connection's kind has an API. */
  readonly hostRepositoryId: string | undefined;
  readonly source: string;
  readonly sourceKind: 'folder' | 'https' | 'ssh';
}

/** The inputs with which Git connects to a repository. */
export interface SourceAccess {
  readonly git: GitDeps;
  readonly credentials: GitCredentials | undefined;
}

/**
 * Gives Git access to repositories, with the credentials and keys of their organization only. Work that a host refuses
 * runs once more if other credentials can be had.
 */
export interface SourceGate {
  /** Runs work with access to a repository; afterwards no key file remains. @throws as `credentialsFor` */
  enter<T>(
    repository: HostedRepository & { readonly access: HostAccess },
    signal: AbortSignal,
    work: (access: SourceAccess) => Promise<T>,
  ): Promise<T>;
  /**
   * Returns the present clone URL of a repository, by its id at the host: it may have been renamed, and another
   * repository may have taken its name. Without an id it is the known source.
   * @throws GitError `not_found` if it was deleted or these credentials can no longer read it
   */
  locate(repository: HostedRepository, signal: AbortSignal): Promise<string>;
  /**
   * Makes sure that the host reports pushes to a repository, if it can. @throws GitHostError, and what the worker
   * retries; the source is polled anyway
   */
  watch(repository: HostedRepository, signal: AbortSignal): Promise<void>;
}

export function openSourceGate(deps: GithostsDeps, git: GitDeps): SourceGate {
  const { queries } = deps.database;
  return {
    async enter(repository, signal, work) {
      if (repository.sourceKind === 'ssh') {
        return withSshKeyFile({ ...deps, queries, dataDir: git.dataDir }, repository, (file) =>
          work({ git: file === undefined ? git : { ...git, sshIdentity: file }, credentials: undefined }),
        );
      }
      const hasConnection = repository.githostConnectionId !== undefined;
      const own = hasConnection ? withOperatorHosts(git, deps) : git;
      const first = await credentialsFor(deps, repository, signal);
      try {
        const done = await work({ git: own, credentials: first }).catch(async (error: unknown) => {
          if (first === undefined || !isRefusedAccess(error)) throw error;
          const credentials = await credentialsFor(deps, { ...repository, refused: first }, signal);
          if (credentials === undefined || isSameCredentials(credentials, first)) throw error;
          return work({ git: own, credentials });
        });
        await recordGitAccess(deps, repository);
        return done;
      } catch (error) {
        throw await recordGitRefusal(deps, repository, error, signal);
      }
    },
    async locate(repository, signal) {
      const { githostConnectionId, hostRepositoryId, source } = repository;
      if (githostConnectionId === undefined || hostRepositoryId === undefined) return source;
      const connection = await findGithost(queries, repository, githostConnectionId);
      // `enter` reports the missing connection.
      if (connection === undefined || connection.state === 'pending') return source;
      const { host } = await openHost({ ...deps, queries }, connection);
      const known = { id: hostRepositoryId, fullName: fullNameAt(connection, source) };
      const found = await host.findRepository(known, signal);
      if (found !== undefined) return found.cloneUrl;
      throw new GitError(
        'not_found',
        `${connection.name} can no longer read this repository: it was deleted, or the access was taken away. Restore the access, or remove the repository.`,
      );
    },
    async watch(repository, signal) {
      const { githostConnectionId, hostRepositoryId: id, source } = repository;
      if (githostConnectionId === undefined || id === undefined) return;
      await ensurePushHook(deps, repository, { githostConnectionId, id, source }, signal);
    },
  };
}

/** The operator wrote the address of the deployment's Git host, so http and private addresses are allowed there. */
export function withOperatorHosts<Rules extends { readonly allowHosts: readonly string[] }>(
  rules: Rules,
  { provider }: Pick<GithostsDeps, 'provider'>,
): Rules {
  const hosts = provider.operatorOrigins.flatMap((origin) => {
    const url = URL.parse(origin);
    if (url === null) return [];
    return [`${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`];
  });
  return { ...rules, allowHosts: [...rules.allowHosts, ...hosts] };
}
