import { type GitHost, GitHostError, type HostRepositoryKey } from '../../../backends/git-providers/port.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { readSecret, saveSecret } from '../../../foundation/secrets/secret-store.ts';
import { hookSecretField } from '../../githosts/ensure-hook.ts';
import { newSecretToken } from '../../identity/secret-token.ts';
import { lockConnection } from '../connections/connection-state-store.ts';
import type { SetupDeps } from './setup-deps.ts';

/** Returns the address at which a Git host reports pushes to the context repository of a connection. */
export function contextHookUrl(baseUrl: string, id: ConnectionId): string {
  return `${baseUrl}/api/v1/webhook/githost/${id}`;
}

/**
 * Makes sure that the Git host reports pushes to the context repository, with a secret of the connection. A host that
 * refuses is only logged: an App-wide webhook may report them, and the branch is polled anyway.
 */
export async function ensureContextHook(
  { database, keyring, clock, githosts, log }: SetupDeps,
  scope: OrgScope,
  id: ConnectionId,
  { host, repository }: { readonly host: GitHost; readonly repository: HostRepositoryKey },
  signal: AbortSignal,
): Promise<void> {
  const place = { connectionId: id, field: hookSecretField };
  const secret = await database.transaction(async (tx) => {
    await lockConnection(tx, scope, id);
    const saved = await readSecret(tx, keyring, place);
    if (saved !== undefined) return saved;
    const made = newSecretToken();
    await saveSecret(tx, keyring, place, made, clock());
    return made;
  });
  try {
    await host.ensureHook(repository, { url: contextHookUrl(githosts.baseUrl, id), secret }, signal);
  } catch (error) {
    if (!(error instanceof GitHostError)) throw error;
    log.warn({ err: error, connectionId: id }, 'pushes to a context repository are found by polling only');
  }
}
