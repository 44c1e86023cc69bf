import type { GitProvider, HookEvent, HookReader } from '../../../../backends/git-providers/port.ts';
import type { Queries } from '../../../../foundation/db/database.ts';
import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../../foundation/kernel/ids.ts';
import { readSecret } from '../../../../foundation/secrets/secret-store.ts';
import { hookSecretField } from '../../../githosts/ensure-hook.ts';
import type { GithostConnection } from '../../../githosts/githost-connection.ts';
import { findGithost, findGithostAcrossOrganizations } from '../../../githosts/githost-store.ts';
import type { DeploymentHost, GithostsDeps } from '../../../githosts/githosts-deps.ts';
import { findConnectionAcrossOrganizations } from '../../connections/connection-store.ts';
import { secretMissing, signatureInvalid } from '../webhook-refused.ts';

/**
 * The target that the last segment of a Git host's webhook URL names: a connection, or `app` for the App of the
 * deployment.
 */
export interface PushTarget {
  readonly reader: HookReader;
  /** Any of them may verify a delivery. */
  readonly secrets: readonly string[];
  /** Returns the connection whose repositories an event is about; `undefined` if there is none. */
  connectionOf(event: HookEvent): Promise<GithostConnection | undefined>;
}

/** The id of the deployment-wide App in the URL. */
const appId = 'app';

/**
 * Returns the target that an id names. @throws WebhookRefused for an unknown id, Unavailable
 * `webhook_secret_missing` without a secret to verify with, SecretUnreadable
 */
export async function requirePushTarget(deps: GithostsDeps | undefined, id: string): Promise<PushTarget> {
  const target = deps && (id === appId ? targetOfApp(deps) : await targetOfConnection(deps, id));
  if (target === undefined) throw signatureInvalid();
  if (target.secrets.length === 0) throw secretMissing();
  return target;
}

function targetOfApp({ database, providers, deployment }: GithostsDeps): PushTarget | undefined {
  const { kind, settings } = deployment;
  const provider = providers.get(kind);
  const reader = provider?.hooks;
  return (
    reader && {
      reader,
      secrets: settings.webhookSecret === undefined ? [] : [settings.webhookSecret],
      async connectionOf(event) {
        const installationId = 'installationId' in event ? event.installationId : undefined;
        const apiUrl = apiUrlOf(provider, settings);
        if (installationId === undefined || apiUrl === undefined) return undefined;
        return findGithostAcrossOrganizations(database.queries, { kind, apiUrl, installationId });
      },
    }
  );
}

/**
 * Returns the address of the API of the deployment's host, as its connections store it; `undefined` without an App,
 * which no connection can use then. Other hosts may give an installation the same id.
 */
function apiUrlOf(provider: GitProvider, settings: DeploymentHost['settings']): string | undefined {
  try {
    return provider.parse({}, settings).apiUrl;
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}

async function targetOfConnection(
  { database, keyring, providers }: GithostsDeps,
  id: string,
): Promise<PushTarget | undefined> {
  const { queries } = database;
  const connection = await githostNamedBy(queries, id);
  if (connection === undefined) return undefined;
  const reader = providers.get(connection.kind)?.hooks;
  if (reader === undefined) return undefined;
  // The secret of an own App, and the secret of the hooks that this service adds to repositories.
  const fields = id === connection.id ? ['webhookSecret', hookSecretField] : [hookSecretField];
  const saved = await Promise.all(
    fields.map((field) => readSecret(queries, keyring, { connectionId: id as ConnectionId, field })),
  );
  return {
    reader,
    secrets: saved.filter((secret) => secret !== undefined),
    connectionOf: () => Promise.resolve(connection),
  };
}

/**
 * Returns the Git host that an id names: its own, or that of a connector connection with a context repository there.
 */
async function githostNamedBy(queries: Queries, id: string): Promise<GithostConnection | undefined> {
  const githost = await findGithostAcrossOrganizations(queries, { id });
  if (githost !== undefined) return githost;
  const connection = await findConnectionAcrossOrganizations(queries, id);
  if (connection?.binding === undefined) return undefined;
  return findGithost(queries, connection, connection.binding.githostConnectionId);
}
