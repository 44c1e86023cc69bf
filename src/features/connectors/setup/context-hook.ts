import { type GitHost, GitHostError, type HostRepositoryKey } from '../../../backends/git-providers/port.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { ensureHookSecret, hookUrl } from '../../githosts/ensure-hook.ts';
import { lockConnection } from '../connections/connection-state-store.ts';
import type { SetupDeps } from './setup-deps.ts';

/**
 * Makes sure that the Git host reports pushes to the context repository, with a secret of the connection. A host that
 * refuses is only logged: an App-wide webhook may report them, and the branch is polled anyway.
 */
export async function ensureContextHook(
  deps: SetupDeps,
  scope: OrgScope,
  id: ConnectionId,
  { host, repository }: { readonly host: GitHost; readonly repository: HostRepositoryKey },
  signal: AbortSignal,
): Promise<void> {
  const secret = await ensureHookSecret(deps, id, (tx) => lockConnection(tx, scope, id));
  try {
    await host.ensureHook(repository, { url: hookUrl(deps.githosts.baseUrl, id), secret }, signal);
  } catch (error) {
    if (!(error instanceof GitHostError)) throw error;
    deps.log.warn(
      { err: error, connectionId: id },
      'pushes to a context repository are found by polling only',
    );
  }
}
