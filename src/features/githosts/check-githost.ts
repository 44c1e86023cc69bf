import { GitHostError } from '../../backends/git-providers/port.ts';
import type { OrgctxError } from '../../foundation/kernel/errors.ts';
import { SecretUnreadable } from '../../foundation/secrets/secret-unreadable.ts';
import { credentialsFailure } from './credentials-failure.ts';
import type { GithostConnection } from './githost-connection.ts';
import { type GithostCheck, recordGithostCheck } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { openUnrecorded } from './open-host.ts';

/**
 * Checks the credentials of a connection at its host and records the result. A host that cannot be asked now changes
 * nothing. @throws RateLimited, Unavailable, OutboundError
 */
export async function checkGithost(
  deps: GithostsDeps,
  connection: GithostConnection,
  signal: AbortSignal,
): Promise<void> {
  const { queries } = deps.database;
  const can = deps.providers.get(connection.kind)?.can;
  if (can?.install === true && connection.installationId === undefined) return;
  // A host without an API answers nothing: only Git or new credentials end a refusal.
  if (can?.list === false && connection.error?.code === refusedByGit) return;
  const check = await settle(deps, connection, async () => {
    const { host } = await openUnrecorded({ ...deps, queries }, connection);
    return { state: 'connected', account: await host.account(signal) };
  });
  await recordGithostCheck(queries, connection, check);
  if (check.state === 'connected' && connection.state === 'failed') {
    await deps.database.transaction((tx) => deps.resumeWaiting(tx, connection, deps.clock()));
  }
}

/** The code of a connection whose credentials Git could not use. */
const refusedByGit = 'git_authentication';

async function settle(
  deps: GithostsDeps,
  connection: GithostConnection,
  check: () => Promise<GithostCheck>,
): Promise<GithostCheck> {
  try {
    return await check();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { state: 'failed', error: credentialsFailure(deps, connection, error) };
  }
}

/** Returns whether only a person can resolve an error of a Git host. */
export function isRefusal(error: unknown): error is OrgctxError {
  return error instanceof GitHostError || error instanceof SecretUnreadable;
}
