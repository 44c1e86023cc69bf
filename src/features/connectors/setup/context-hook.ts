import { GitHostError, type HostRepositoryKey } from '../../../backends/git-providers/port.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { ensureHookSecret, hookUrl, needsHooks } from '../../githosts/ensure-hook.ts';
import type { OpenedHost } from '../../githosts/open-host.ts';
import { lockConnection } from '../connections/connection-state-store.ts';
import type { SetupDeps } from './setup-deps.ts';

/**
 * Makes sure that the Git host reports pushes to the context repository, with a secret of the connection, unless its App
 * reports them. A host that refuses is only logged, because the branch is polled anyway.
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
    await opened.host.ensureHook(repository, { url: hookUrl(deps.githosts.baseUrl, id), secret }, signal);
  } catch (error) {
    if (!(error instanceof GitHostError)) throw error;
    deps.log.warn(
      { err: error, connectionId: id },
      'pushes to a context repository are found by polling only',
    );
  }
}
