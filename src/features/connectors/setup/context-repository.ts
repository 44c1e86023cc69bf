import {
  GitHostError,
  type HostRepository,
  type HostRepositoryKey,
} from '../../../backends/git-providers/port.ts';
import type { Queries } from '../../../foundation/db/database.ts';
import { checkRefName } from '../../../foundation/git/source/ref-name.ts';
import type { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId, OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import { ensureHookSecret, hookUrl, needsHooks } from '../../githosts/ensure-hook.ts';
import type { GithostConnection } from '../../githosts/githost-connection.ts';
import { findGithost } from '../../githosts/githost-store.ts';
import type { GithostsDeps } from '../../githosts/githosts-deps.ts';
import { pathAtHost, requireReady } from '../../githosts/host-repositories.ts';
import { type OpenedHost, openHost } from '../../githosts/open-host.ts';
import { withOperatorHosts } from '../../githosts/source-access.ts';
import type { MirrorTarget } from '../../mirror/mirror-target.ts';
import { ensureTarget } from '../../mirror/mirror-target-store.ts';
import { hostedTarget } from '../../mirror/repository-key.ts';
import type { Binding } from '../connections/connection.ts';
import { lockConnection } from '../connections/connection-store.ts';
import type { SetupDeps } from '../connections/connections-deps.ts';

/** The Git host of a context repository. */
export interface OpenedContextHost extends OpenedHost {
  readonly githost: GithostConnection;
}

/** Opens the Git host of a binding. @throws InvalidInput if the connection is gone or its App is not installed */
export async function openContextHost(
  deps: GithostsDeps,
  organizationId: OrganizationId,
  { githostConnectionId }: Pick<Binding, 'githostConnectionId'>,
): Promise<OpenedContextHost> {
  const { queries } = deps.database;
  const githost = await findGithost(queries, { organizationId }, githostConnectionId);
  if (githost === undefined) {
    throw invalidField('githostConnectionId', 'is not a Git-host connection of this organization');
  }
  const opened = await openHost({ ...deps, queries }, requireReady(githost));
  const { provider } = opened;
  if (!provider.can.pullRequests || !provider.can.push) {
    throw invalidField(
      'githostConnectionId',
      'cannot open pull requests',
      `${githost.name} can only read repositories. Choose a Git-host connection that can push and open pull requests.`,
    );
  }
  return { ...opened, githost };
}

/** Returns the mirror target of a branch of a repository, creating it if it is missing. @throws as `ensureTarget` */
export function ensureContextTarget(
  tx: Queries,
  deps: GithostsDeps,
  { id: githostConnectionId, organizationId, apiUrl }: GithostConnection,
  { repository, branch }: Pick<ContextPlace, 'repository' | 'branch'>,
): Promise<MirrorTarget> {
  const rules = withOperatorHosts({ allowHosts: deps.allowHosts }, deps);
  const wanted = { repository: hostedTarget({ ...repository, apiUrl }, rules), branch, githostConnectionId };
  return ensureTarget(tx, { organizationId }, wanted, deps.clock());
}

export interface PlaceRequest {
  readonly githostConnectionId: string;
  /** Full name, or URL at the host. */
  readonly repository: string;
  /** Default: the default branch. */
  readonly branch?: string | undefined;
}

/** The repository and branch to mirror into. */
export interface ContextPlace {
  readonly opened: OpenedContextHost;
  readonly repository: HostRepository;
  readonly branch: string;
}

/** Finds the place that a person chose, and checks it. @throws InvalidInput naming the field or what is missing */
export async function findPlace(
  deps: GithostsDeps,
  { organizationId }: OrgScope,
  request: PlaceRequest,
  signal: AbortSignal,
): Promise<ContextPlace> {
  const githostConnectionId = request.githostConnectionId as ConnectionId;
  const opened = await openContextHost(deps, organizationId, { githostConnectionId });
  const repository = await findWritableRepository(opened, request.repository, signal);
  const branch = checkRefName(request.branch ?? repository.defaultBranch);
  if (repository.empty || (await opened.host.headOf(repository, branch, signal)) !== undefined)
    return { opened, repository, branch };
  throw invalidField(
    'branch',
    'does not exist',
    `${repository.fullName} has no branch ${branch}. Create it first.`,
  );
}

/**
 * Finds the repository to mirror into, by its full name or its URL at the host, and checks that the connection may
 * write to it. @throws InvalidInput naming what is missing
 */
export async function findWritableRepository(
  { githost, host }: Pick<OpenedContextHost, 'githost' | 'host'>,
  text: string,
  signal: AbortSignal,
): Promise<HostRepository> {
  const path = pathAtHost(text, githost.url)?.replace(/\.git$/, '');
  if (path === undefined) {
    throw invalidField(
      'repository',
      `must be a repository of ${githost.url}: its full name or its URL there`,
    );
  }
  const found = await host.findRepository(path, signal);
  if (found === undefined) {
    throw invalidField(
      'repository',
      `names no repository that ${githost.name} can read`,
      `${githost.name} cannot read ${path}. Check the name, and that the account of the connection has access to it.`,
    );
  }
  if (found.archived) {
    throw invalidField(
      'repository',
      'is archived',
      `${found.fullName} is archived. Unarchive it, or choose another one.`,
    );
  }
  await checkWrite({ githost, host }, found, signal);
  return found;
}

async function checkWrite(
  { githost, host }: Pick<OpenedContextHost, 'githost' | 'host'>,
  repository: HostRepository,
  signal: AbortSignal,
): Promise<void> {
  try {
    await host.credentials('write', signal, repository);
  } catch (error) {
    if (!(error instanceof GitHostError)) throw error;
    throw lacksPermission(error.message, error);
  }
  if (repository.canWrite) return;
  const { installationId } = githost;
  const installation =
    installationId === undefined ? undefined : await host.installation(installationId, signal);
  const named = installation?.missingPermissions ?? [];
  const missing = named.length > 0 ? named.join(', ') : 'push and pull requests';
  throw lacksPermission(
    `${githost.name} lacks the permission to write to ${repository.fullName} (${missing}). Grant it at the Git host, then try again.`,
  );
}

function lacksPermission(message: string, cause?: unknown): InvalidInput {
  return invalidField('repository', 'cannot be written by this connection', message, { cause });
}

/**
 * Makes sure that the Git host reports pushes to the context repository, with a secret of the connection, unless its
 * App reports them. A host that refuses is only logged, because the branch is polled anyway.
 */
export async function ensureContextHook(
  deps: SetupDeps,
  scope: OrgScope,
  id: ConnectionId,
  { opened, repository }: { readonly opened: OpenedHost; readonly repository: HostRepositoryKey },
  signal: AbortSignal,
): Promise<void> {
  if (!needsHooks(opened)) return;
  const secret = await ensureHookSecret(deps, id, (tx) => lockConnection(tx, scope, id));
  try {
    await opened.host.ensureHook(repository, { url: hookUrl(deps.baseUrl, id), secret }, signal);
  } catch (error) {
    if (!(error instanceof GitHostError)) throw error;
    deps.log.warn(
      { err: error, connectionId: id },
      'pushes to a context repository are found by polling only',
    );
  }
}
