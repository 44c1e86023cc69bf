import { GitError } from '../../foundation/git/process/git-error.ts';
import type { OrganizationId } from '../../foundation/kernel/ids.ts';
import { checkGithost } from './check-githost.ts';
import { credentialsFailure } from './credentials-failure.ts';
import { findGithost, recordGithostCheck } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';

/** The connection that Git used. */
export interface UsedConnection {
  readonly organizationId: OrganizationId;
  readonly githostConnectionId: string | undefined;
}

/**
 * Records on the connection that Git was refused, and returns the error with the command that helps. Other errors are
 * returned unchanged. A host with an API is asked first, because it may refuse one repository only.
 */
export async function recordGitRefusal(
  deps: GithostsDeps,
  used: UsedConnection,
  error: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof GitError) || error.reason !== 'authentication') return error;
  const { queries } = deps.database;
  const find = async () =>
    used.githostConnectionId === undefined
      ? undefined
      : await findGithost(queries, used, used.githostConnectionId);
  const connection = await find();
  if (connection === undefined || connection.state === 'pending') return error;
  if (deps.providers.get(connection.kind)?.can.list === true) {
    // A host that cannot be asked now says nothing about the credentials.
    await checkGithost(deps, connection, signal).catch(() => undefined);
    const after = await find();
    return after?.error === undefined
      ? error
      : new GitError('authentication', after.error.message, { cause: error });
  }
  const failure = credentialsFailure(deps, connection, error);
  await recordGithostCheck(queries, connection, { state: 'failed', error: failure });
  return new GitError('authentication', failure.message, { cause: error });
}

/** Records that Git was accepted, which proves the credentials of a kind without an API. */
export async function recordGitAccess(deps: GithostsDeps, used: UsedConnection): Promise<void> {
  if (used.githostConnectionId === undefined) return;
  const { queries } = deps.database;
  const connection = await findGithost(queries, used, used.githostConnectionId);
  if (connection?.state !== 'failed' || connection.account === undefined) return;
  if (deps.providers.get(connection.kind)?.can.list !== false) return;
  await recordGithostCheck(queries, connection, { state: 'connected', account: connection.account });
}
