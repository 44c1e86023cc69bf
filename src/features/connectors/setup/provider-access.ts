import { z } from 'zod';
import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict, ExternalServiceError, InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { parseJson } from '../../../foundation/kernel/wire/parse-json.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import { readSecret, saveSecret } from '../../../foundation/secrets/secret-store.ts';
import { appSecretFields, type Connection } from '../connections/connection.ts';
import type { ConnectionsDeps } from '../connections/connections-deps.ts';
import { type Connector, type ProviderContext, type ProviderTokens, providerTokens } from '../port.ts';

/** Secrets of an authorization, as fields of `SecretPlace`. */
export const authorizationFields = { tokens: 'tokens', verifier: 'pkceVerifier' } as const;

/** The dependencies of calls to the providers of connections. */
export type ProviderDeps = Omit<ConnectionsDeps, 'connectors'>;

/**
 * Returns what calls of a provider need: the app saved on the connection, else that of the deployment (specification,
 * settings rules). @throws Conflict `oauth_not_configured`
 */
export async function providerContext(
  { database, keyring, provider: { http }, providerSettings: values }: ProviderDeps,
  { connector, connection }: { readonly connector: Connector; readonly connection: AppConnection },
  signal: AbortSignal,
): Promise<ProviderContext> {
  const { id: connectionId, clientId: ownId, account, webhooks } = connection;
  const place = { connectionId, field: appSecretFields.clientSecret };
  const ownSecret = ownId === undefined ? undefined : await readSecret(database.queries, keyring, place);
  const deployment = connector.settings.read(values);
  const { clientId, clientSecret } =
    ownSecret === undefined ? deployment : { clientId: ownId, clientSecret: ownSecret };
  if (clientId === undefined || clientSecret === undefined) throw notConfigured(connector);
  return { http, values, clientId, clientSecret, account, webhooks, signal };
}

type AppConnection = Pick<Connection, 'id'> &
  Partial<Pick<Connection, 'clientId' | 'account'>> &
  Pick<ProviderContext, 'webhooks'>;

function notConfigured({ product, kind }: Connector): Conflict {
  const app = `${kind.toUpperCase()}_CLIENT`;
  return new Conflict(
    'oauth_not_configured',
    `The OAuth of ${product} is not configured. Save the client id and secret of an app on the connection, or set ${app}_ID and ${app}_SECRET on the backend and the worker.`,
  );
}

/** Returns the tokens of a connection; `undefined` if it has none. @throws SecretUnreadable */
export async function readTokens(
  queries: Queries,
  keyring: Keyring,
  connectionId: ConnectionId,
): Promise<ProviderTokens | undefined> {
  const text = await readSecret(queries, keyring, { connectionId, field: authorizationFields.tokens });
  return text === undefined ? undefined : providerTokens.parse(JSON.parse(text));
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

/** The tokens of a reply: as bearer tokens in a header, printable ASCII (RFC 6749 appendix A). */
const token = z.string().regex(/^[\x20-\x7e]{1,16384}$/);

/** A reply. A value besides its tokens in another form is ignored: the tokens are valid all the same. */
const answer = z.object({
  access_token: token,
  refresh_token: token.optional(),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
  // Apps of Linear that are older than December 2023 get a list.
  scope: z
    .union([z.string(), z.array(z.string()).transform((names) => names.join(' '))])
    .pipe(z.string().max(16_384))
    .optional()
    .catch(undefined),
});

const refusal = z.object({
  error: z.string().max(200),
  error_description: z.string().max(1_000).optional(),
});

/**
 * Sends a grant to the token endpoint (RFC 6749, RFC 7636 section 4.5).
 * @throws TokensRefused; TokensUnreadable; the errors of the HTTP client
 */
export async function requestTokens(
  { product, oauth }: Connector,
  grant: Readonly<Record<string, string>>,
  context: ProviderContext,
  now: number,
): Promise<ProviderTokens> {
  const { http, values, clientId, clientSecret, signal } = context;
  const body = new URLSearchParams({ ...grant, client_id: clientId, client_secret: clientSecret });
  const response = await http.request({
    url: oauth.endpoints(values).token,
    destination: 'operator',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: body.toString(),
    signal,
  });
  const content = parseJson(response.body);
  const isSuccess = response.status >= 200 && response.status < 300;
  const tokens = answer.safeParse(content);
  if (isSuccess && tokens.success) {
    const { access_token, refresh_token, expires_in, scope } = tokens.data;
    return {
      accessToken: access_token,
      refreshToken: refresh_token,
      expiresAt: expires_in === undefined ? undefined : now + expires_in * 1_000,
      scope,
    };
  }
  const refused = refusal.safeParse(content);
  if (response.status < 500 && refused.success) throw refusedBy(product, refused.data);
  throw new TokensUnreadable(product, response.status, isSuccess ? refreshTokenIn(response.body) : undefined);
}

/**
 * Returns the refresh token of a reply that cannot be read otherwise, even as JSON. The provider may have ended the
 * former one already.
 */
function refreshTokenIn(body: Uint8Array): string | undefined {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  return /"refresh_token"\s{0,9}:\s{0,9}"([^"\\\P{ASCII}\p{Cc}]{1,16384})"/u.exec(text)?.[1];
}

/** The provider answered without tokens that can be used. */
export class TokensUnreadable extends ExternalServiceError {
  /** The refresh token of the reply, which replaces the former one. */
  readonly refreshToken: string | undefined;

  constructor(product: string, status: number, refreshToken: string | undefined) {
    super(product, `${product} did not give out tokens (status ${status}). Try again.`, { retryable: true });
    this.refreshToken = refreshToken;
  }
}

/** The provider refuses an authorization. */
export class TokensRefused extends InvalidInput {
  /** The provider's code (RFC 6749 section 5.2): `invalid_grant`. */
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

/** Returns the error for a refusal of the provider, with its own words. */
export function refusedBy(
  product: string,
  { error, error_description: description }: z.output<typeof refusal>,
): TokensRefused {
  const words = description === undefined ? error : `${error}: ${description}`;
  const message =
    error === 'invalid_client'
      ? `${product} does not accept the client id and secret of the app. Save them again on the connection, or correct the settings of the deployment. If the app was deleted there, register a new one, save its id and secret, and authorize again.`
      : `${product} refused the authorization (${visibleLine(words).slice(0, 300)}). Start the authorization again.`;
  return new TokensRefused(message, error);
}
