import { createTokenCache } from '../../backends/git-providers/port.ts';
import type { GithostsDeps } from '../../features/githosts/githosts-deps.ts';
import { commitWaiting } from '../../features/mirror/mirror-target-store.ts';
import { syncWaiting } from '../../features/repositories/following/sync-changed.ts';
import type { Database } from '../../foundation/db/database.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import type { Keyring } from '../../foundation/secrets/keyring.ts';
import { gitProviders } from './git-providers.ts';
import type { Settings } from './open-database.ts';

export interface OpenedGithosts {
  readonly githosts: GithostsDeps;
  close(): Promise<void>;
}

/** Opens what the operations on Git hosts need. One for a process: its connections share tokens. */
export function openGithosts(
  { config, secrets }: Settings,
  { database, keyring }: { readonly database: Database; readonly keyring: Keyring },
): OpenedGithosts {
  const { allowHosts } = config.outbound;
  const http = createHttpClient({ allowHosts, proxies: secrets.proxies });
  const clock = systemClock;
  const { kind, ...settings } = config.githost;
  const { githostPrivateKey: privateKey, githostWebhookSecret: webhookSecret } = secrets;
  const origins = [settings.url, settings.apiUrl].flatMap((url) => URL.parse(url ?? '')?.origin ?? []);
  const githosts: GithostsDeps = {
    database,
    keyring,
    clock,
    allowHosts,
    baseUrl: config.baseUrl,
    providers: new Map(gitProviders.map((provider) => [provider.kind, provider])),
    provider: { http, clock, tokens: createTokenCache(clock), operatorOrigins: origins },
    resumeWaiting,
    deployment: { kind, settings: given({ ...settings, privateKey, webhookSecret }) },
  };
  return { githosts, close: () => http.close() };
}

/**
 * Starts the work that waits for a Git-host connection.
 * @internal Exported for the Git hosts of tests.
 */
export async function resumeWaiting(
  ...[tx, connection, now]: Parameters<GithostsDeps['resumeWaiting']>
): Promise<void> {
  await syncWaiting(tx, connection, now);
  await commitWaiting(tx, connection);
}

/** Removes the settings that are not set. */
function given<T extends object>(settings: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const set = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
