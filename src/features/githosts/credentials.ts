import { GitHostError, type HostAccess } from '../../backends/git-providers/port.ts';
import { GitError } from '../../foundation/git/process/git-error.ts';
import type { GitCredentials } from '../../foundation/git/remote/git-credentials.ts';
import type { OrganizationId } from '../../foundation/kernel/ids.ts';
import { isRefusal } from './check-githost.ts';
import { credentialsFailure } from './credentials-failure.ts';
import { findGithost, recordGithostCheck } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { openUnrecorded } from './open-host.ts';

/** A repository that Git connects to. */
export interface CredentialsRequest {
  readonly organizationId: OrganizationId;
  /** `undefined` if the address needs no credentials. */
  readonly githostConnectionId: string | undefined;
  /** The URL that Git connects to. */
  readonly source: string;
  readonly access: HostAccess;
  /** The host's id of the repository, which narrows the credentials where the host can do that. */
  readonly hostRepositoryId?: string | undefined;
  /** Credentials that the host has just refused: others are asked for, even if these should be valid. */
  readonly refused?: GitCredentials | undefined;
}

/**
 * Returns the credentials of a Git-host connection for one repository. They are asked for anew for each run, so that a
 * new token applies at once. The connection must belong to the organization and the address to the host of the
 * connection: a token is never sent elsewhere.
 * @throws GitError `authentication` that says what to do; RateLimited, Unavailable, OutboundError
 */
export async function credentialsFor(
  deps: GithostsDeps,
  request: CredentialsRequest,
  signal: AbortSignal,
): Promise<GitCredentials | undefined> {
  const { githostConnectionId, source, access, hostRepositoryId } = request;
  if (githostConnectionId === undefined) return undefined;
  const { queries } = deps.database;
  const connection = await findGithost(queries, request, githostConnectionId);
  if (connection === undefined) {
    throw refused('The Git-host connection of this repository was removed. Choose another one.');
  }
  if (connection.state === 'pending') {
    throw refused(
      `The App of ${connection.name} is not installed. Install it first: "orgctx githost status ${connection.id} --link" prints a link.`,
    );
  }
  try {
    const { host, settings } = await openUnrecorded({ ...deps, queries }, connection);
    if (URL.parse(source)?.origin !== URL.parse(settings.url)?.origin) {
      throw refused(`The repository is not at ${settings.url}, the host of ${connection.name}.`);
    }
    // One token reads all repositories of the connection: one for each would be a request per repository and hour.
    const limited = access === 'write' && hostRepositoryId !== undefined;
    return await host.credentials(
      access,
      signal,
      limited ? { id: hostRepositoryId, fullName: source } : undefined,
      request.refused,
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (error instanceof GitHostError && error.reason !== 'authentication')
      throw refused(error.message, error);
    const failure = credentialsFailure(deps, connection, error);
    await recordGithostCheck(queries, connection, { state: 'failed', error: failure });
    throw refused(failure.message, error);
  }
}

function refused(message: string, cause?: unknown): GitError {
  return new GitError('authentication', message, cause === undefined ? {} : { cause });
}
