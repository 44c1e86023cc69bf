import { z } from 'zod';
import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import { readSecret, saveSecret } from '../../../foundation/secrets/secret-store.ts';
import type { GithostsDeps } from '../../githosts/githosts-deps.ts';
import { appSecretFields, type Connection } from '../connections/connection.ts';
import type { Connector, ProviderContext, ProviderTokens } from '../port.ts';

/** Secrets of an authorization, as fields of `SecretPlace`. */
export const authorizationFields = { tokens: 'tokens', verifier: 'pkceVerifier' } as const;

export interface ProviderAccessDeps {
  readonly keyring: Keyring;
  readonly githosts: Pick<GithostsDeps, 'provider'>;
  readonly providerSettings: Readonly<Record<string, unknown>>;
}

/**
 * Returns what calls of a provider need: the app saved on the connection, else that of the deployment (specification,
 * settings rules). @throws Conflict `oauth_not_configured`
 */
export async function providerContext(
  { keyring, githosts, providerSettings }: ProviderAccessDeps,
  queries: Queries,
  { connector, connection }: { readonly connector: Connector; readonly connection: AppConnection },
  signal: AbortSignal,
): Promise<ProviderContext> {
  const place = { connectionId: connection.id, field: appSecretFields.clientSecret };
  const own = connection.clientId === undefined ? undefined : await readSecret(queries, keyring, place);
  const deployment = connector.settings.read(providerSettings);
  const isOwn = connection.clientId !== undefined && own !== undefined;
  const clientId = isOwn ? connection.clientId : deployment.clientId;
  const clientSecret = isOwn ? own : deployment.clientSecret;
  if (clientId === undefined || clientSecret === undefined) throw notConfigured(connector);
  const { account, webhooks } = connection;
  const { http } = githosts.provider;
  return { http, values: providerSettings, clientId, clientSecret, account, webhooks, signal };
}

type AppConnection = Pick<Connection, 'id' | 'clientId'> &
  Partial<Pick<Connection, 'account'>> &
  Pick<ProviderContext, 'webhooks'>;

function notConfigured({ product, kind }: Connector): Conflict {
  const names = [`${kind.toUpperCase()}_CLIENT_ID`, `${kind.toUpperCase()}_CLIENT_SECRET`].join(' and ');
  return new Conflict(
    'oauth_not_configured',
    `The OAuth of ${product} is not configured. Save the client id and secret of an app on the connection, or set ${names} on the backend and the worker.`,
  );
}

const stored: z.ZodType<ProviderTokens> = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  expiresAt: z.number().optional(),
  scope: z.string().optional(),
});

/** Returns the tokens of a connection; `undefined` if it has none. @throws SecretUnreadable */
export async function readTokens(
  queries: Queries,
  keyring: Keyring,
  connectionId: ConnectionId,
): Promise<ProviderTokens | undefined> {
  const text = await readSecret(queries, keyring, { connectionId, field: authorizationFields.tokens });
  return text === undefined ? undefined : stored.parse(JSON.parse(text));
}

export async function saveTokens(
  tx: Queries,
  keyring: Keyring,
  connectionId: ConnectionId,
  tokens: ProviderTokens,
  now: number,
): Promise<void> {
  const place = { connectionId, field: authorizationFields.tokens };
  await saveSecret(tx, keyring, place, JSON.stringify(tokens), now);
}
