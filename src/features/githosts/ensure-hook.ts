import type { Queries } from '../../foundation/db/database.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import { readSecret, saveSecret } from '../../foundation/secrets/secret-store.ts';
import { lockOrganization } from '../identity/people/membership-store.ts';
import { newSecretToken } from '../identity/secret-token.ts';
import { findGithost, requireGithost } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { fullNameAt } from './host-repositories.ts';
import { type OpenedHost, openHost } from './open-host.ts';

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
  {
    githostConnectionId,
    id: repositoryId,
    source,
  }: { readonly githostConnectionId: string; readonly id: string; readonly source: string },
  signal: AbortSignal,
): Promise<void> {
  const opened = await openHooks(deps, scope, githostConnectionId);
  if (opened === undefined) return;
  const { id } = opened.connection;
  const secret = await ensureHookSecret(deps, id, async (tx) => {
    await lockOrganization(tx, scope.organizationId);
    await requireGithost(tx, scope, id);
  });
  const repository = { id: repositoryId, fullName: fullNameAt(opened.connection, source) };
  await opened.host.ensureHook(repository, { url: opened.url, secret }, signal);
}

/** Returns the host of a connection whose repositories get a webhook each, and the address of that webhook. */
export async function openHooks(deps: GithostsDeps, scope: DataScope, githostConnectionId: string) {
  const { queries } = deps.database;
  const connection = await findGithost(queries, scope, githostConnectionId);
  if (connection === undefined || connection.state === 'pending') return undefined;
  const opened = await openHost({ ...deps, queries }, connection);
  if (!needsHooks(opened)) return undefined;
  return { connection, host: opened.host, url: hookUrl(deps.baseUrl, connection.id) };
}

/** Returns whether repositories of a host need a webhook each: it has webhooks, and no App with one for all of them. */
export function needsHooks({ provider, settings }: Pick<OpenedHost, 'provider' | 'settings'>): boolean {
  return provider.can.hooks && !(provider.can.install && settings.webhookSecret !== undefined);
}

/** Returns the address of the webhooks of a connection, to a Git host or to a provider. */
export function hookUrl(baseUrl: string, id: ConnectionId): string {
  return `${baseUrl}/api/v1/webhook/githost/${id}`;
}

/**
 * Returns the secret that signs the webhooks of a connection; makes one if it has none. `lock` locks and requires the
 * connection, so that two workers do not make two secrets and a removed connection gets none.
 */
export async function ensureHookSecret(
  { database, keyring, clock }: Pick<GithostsDeps, 'database' | 'keyring' | 'clock'>,
  connectionId: ConnectionId,
  lock: (tx: Queries) => Promise<unknown>,
): Promise<string> {
  return database.transaction(async (tx) => {
    await lock(tx);
    const place = { connectionId, field: hookSecretField };
    const saved = await readSecret(tx, keyring, place);
    if (saved !== undefined) return saved;
    const secret = newSecretToken();
    await saveSecret(tx, keyring, place, secret, clock());
    return secret;
  });
}
