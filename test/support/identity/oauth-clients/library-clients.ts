import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { type OAuthCallback, openCallback } from './callback.ts';
import { clientName, type OAuthClient, type OAuthSession, toolsOf } from './client.ts';

/** Allows http, which is permitted only on loopback. */
const insecure = { [oauth.allowInsecureRequests]: true } as const;

/** A client of `oauth4webapi`, which refuses every response that does not conform to its RFC. */
export const oauth4webapiClient: OAuthClient = {
  async connect(mcpUrl, authorize) {
    await using callback = await openCallback();
    const { as, resource } = await discover(mcpUrl);
    const client = await register(as, callback.redirectUri);
    const authorization = { as, client, redirectUri: callback.redirectUri, resource: resource.resource };
    let tokens = await authorizeByCode(authorization, callback, authorize);
    return sessionOfTokens(mcpUrl, {
      tokens: () => tokens,
      async refresh() {
        const options = { ...insecure, additionalParameters: { resource: resource.resource } };
        const answer = await oauth.refreshTokenGrantRequest(
          as,
          client,
          oauth.None(),
          tokens.refresh_token,
          options,
        );
        tokens = tokenPair(await oauth.processRefreshTokenResponse(as, client, answer));
      },
      revoke: async () =>
        oauth.processRevocationResponse(
          await oauth.revocationRequest(as, client, oauth.None(), tokens.refresh_token, insecure),
        ),
    });
  },
};

export interface StrictAuthorization {
  readonly as: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly redirectUri: string;
  readonly resource: string;
}

/**
 * Discovers the servers from the challenge of an unauthenticated request with the documents of RFC 9728 and RFC 8414.
 */
export async function discover(
  mcpUrl: string,
): Promise<{ as: oauth.AuthorizationServer; resource: oauth.ResourceServer }> {
  const challenge = await fetch(mcpUrl, { method: 'POST', body: '{}' });
  const header = challenge.headers.get('www-authenticate') ?? '';
  const named = /resource_metadata="([^"]+)"/u.exec(header)?.[1];
  const identifier = new URL(new URL(mcpUrl).pathname, mcpUrl);
  const found = await oauth.resourceDiscoveryRequest(identifier, insecure);
  if (challenge.status !== 401 || named !== found.url)
    throw new Error(`the challenge names ${named}, not ${found.url} (${challenge.status}: ${header})`);
  const resource = await oauth.processResourceDiscoveryResponse(identifier, found);
  const issuer = new URL(resource.authorization_servers?.[0] ?? '');
  const metadata = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  return { as: await oauth.processDiscoveryResponse(issuer, metadata), resource };
}

export async function register(as: oauth.AuthorizationServer, redirectUri: string): Promise<oauth.Client> {
  const wanted = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  };
  const answer = await oauth.dynamicClientRegistrationRequest(as, wanted, insecure);
  return oauth.processDynamicClientRegistrationResponse(answer);
}

/** Returns the tokens of an authorization that a person allows in the browser. */
export async function authorizeByCode(
  { as, client, redirectUri, resource }: StrictAuthorization,
  callback: OAuthCallback,
  authorize: (url: URL) => Promise<void>,
  scope = 'mcp',
): Promise<TokenPair> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    resource,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  await authorize(url);
  const answer = await callback.answer(state);
  if (!answer.searchParams.has('iss')) throw new Error(`no iss in ${answer.search}`);
  const parameters = oauth.validateAuthResponse(as, client, answer, state);
  const exchange = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    verifier,
    { ...insecure, additionalParameters: { resource } },
  );
  return tokenPair(await oauth.processAuthorizationCodeResponse(as, client, exchange));
}

/** A client of `openid-client`, which knows only the issuer and registers itself. */
export const openidClient: OAuthClient = {
  async connect(mcpUrl, authorize) {
    await using callback = await openCallback();
    const { redirectUri } = callback;
    const config = await openid.dynamicClientRegistration(
      new URL(new URL(mcpUrl).origin),
      { client_name: clientName, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
      openid.None(),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    const [pkceCodeVerifier, expectedState] = [openid.randomPKCECodeVerifier(), openid.randomState()];
    await authorize(
      openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'mcp',
        state: expectedState,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      }),
    );
    const answer = await callback.answer(expectedState);
    const checks = { pkceCodeVerifier, expectedState };
    let tokens = tokenPair(await openid.authorizationCodeGrant(config, answer, checks));
    return sessionOfTokens(mcpUrl, {
      tokens: () => tokens,
      async refresh() {
        tokens = tokenPair(await openid.refreshTokenGrant(config, tokens.refresh_token));
      },
      revoke: () => openid.tokenRevocation(config, tokens.refresh_token),
    });
  },
};

export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
}

export function tokenPair({ access_token, refresh_token }: oauth.TokenEndpointResponse): TokenPair {
  if (refresh_token === undefined) throw new Error('the token endpoint returned no refresh token');
  return { access_token, refresh_token };
}

interface TokenLibrary {
  tokens(): TokenPair;
  refresh(): Promise<void>;
  revoke(): Promise<void>;
}

/** Combines an OAuth library with an MCP client: each call uses the current access token of the library. */
function sessionOfTokens(mcpUrl: string, library: TokenLibrary): OAuthSession {
  const withTools = async <Value>(use: (tools: ReturnType<typeof toolsOf>) => Promise<Value>) => {
    const client = await connectWithToken(mcpUrl, library.tokens().access_token);
    try {
      return await use(toolsOf(client));
    } finally {
      await client.close();
    }
  };
  return {
    listTools: () => withTools((tools) => tools.listTools()),
    ask: (prompt) => withTools((tools) => tools.ask(prompt)),
    async refresh() {
      const before = library.tokens().refresh_token;
      await library.refresh();
      return { before, after: library.tokens().refresh_token };
    },
    revoke: () => library.revoke(),
    close: async () => undefined,
  };
}

/** Connects an MCP client with a bearer token and without OAuth support. */
export async function connectWithToken(mcpUrl: string, token: string): Promise<Client> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const client = new Client({ name: clientName, version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit }));
  return client;
}
