import type { HostRepositoryKey } from '../../backends/git-providers/port.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import { readSecret, saveSecret } from '../../foundation/secrets/secret-store.ts';
import { newSecretToken } from '../identity/secret-token.ts';
import type { GithostConnection } from './githost-connection.ts';
import { findGithost } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { openHost } from './open-host.ts';

/** The field of the secret that signs the webhooks of repositories, which this service adds itself. */
export const hookSecretField = 'hookSecret';

/**
 * Makes sure that pushes to a repository are reported at once. Adds a webhook to the repository, unless the kind has
 * none or the App reports for all its repositories.
 * @throws GitHostError, for example without the permission to add webhooks; the source is polled anyway
 */
export async function ensurePushHook(
  deps: GithostsDeps,
  scope: DataScope,
  { githostConnectionId, ...repository }: HostRepositoryKey & { readonly githostConnectionId: string },
  signal: AbortSignal,
): Promise<void> {
  const opened = await openHooks(deps, scope, githostConnectionId);
  if (opened === undefined) return;
  const secret = await ensureHookSecret(deps, deps.database, opened.connection);
  await opened.host.ensureHook(repository, { url: opened.url, secret }, signal);
}

/** Returns the host of a connection whose repositories get a webhook each, and the address of that webhook. */
export async function openHooks(deps: GithostsDeps, scope: DataScope, githostConnectionId: string) {
  const { queries } = deps.database;
  const connection = await findGithost(queries, scope, githostConnectionId);
  if (connection === undefined || connection.state === 'pending') return undefined;
  const { provider, settings, host } = await openHost({ ...deps, queries }, connection);
  if (provider.can.install && settings.webhookSecret !== undefined) return undefined;
  if (!provider.can.hooks) return undefined;
  return { connection, host, url: `${deps.baseUrl}/api/v1/webhook/githost/${connection.id}` };
}

async function ensureHookSecret(
  { keyring, clock }: GithostsDeps,
  database: Database,
  { id: connectionId }: GithostConnection,
): Promise<string> {
  return database.transaction(async (tx) => {
    const place = { connectionId, field: hookSecretField };
    const saved = await readSecret(tx, keyring, place);
    if (saved !== undefined) return saved;
    const secret = newSecretToken();
    await saveSecret(tx, keyring, place, secret, clock());
    return secret;
  });
}
