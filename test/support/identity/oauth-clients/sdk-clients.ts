import { randomUUID } from 'node:crypto';
import {
  Client as ModernClient,
  type OAuthDiscoveryState as ModernDiscovery,
  StreamableHTTPClientTransport as ModernTransport,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { openCallback } from './callback.ts';
import {
  clientName,
  type OAuthClient,
  type OAuthSession,
  type Registration,
  revokeToken,
  toolsOf,
} from './client.ts';

/** The state that an OAuth provider of either SDK stores. */
interface Memory<Client, Tokens, Discovery> {
  client?: Client;
  tokens?: Tokens;
  verifier?: string;
  discovery?: Discovery;
  state?: string;
  authorizationUrl?: URL;
}

type AnyMemory = Memory<Registration, TokenPair, unknown>;

interface TokenPair {
  access_token: string;
  refresh_token?: string | undefined;
}

/** Creates an in-memory provider for either SDK, which adds nothing to the SDK's own requests. */
function memoryProvider<Client, Tokens, Discovery>(
  redirectUrl: string,
  memory: Memory<Client, Tokens, Discovery>,
) {
  return {
    redirectUrl,
    clientMetadata: { client_name: clientName, redirect_uris: [redirectUrl] },
    state: () => (memory.state = randomUUID()),
    clientInformation: () => memory.client,
    saveClientInformation: (client: Client) => void (memory.client = client),
    tokens: () => memory.tokens,
    saveTokens: (tokens: Tokens) => void (memory.tokens = tokens),
    codeVerifier: () => memory.verifier ?? '',
    saveCodeVerifier: (verifier: string) => void (memory.verifier = verifier),
    discoveryState: () => memory.discovery,
    saveDiscoveryState: (discovery: Discovery) => void (memory.discovery = discovery),
    invalidateCredentials(scope: string) {
      if (scope === 'all' || scope === 'client') delete memory.client;
      if (scope === 'all' || scope === 'tokens') delete memory.tokens;
    },
    redirectToAuthorization: (url: URL) => void (memory.authorizationUrl = url),
  };
}

/** The client of `@modelcontextprotocol/sdk` 1.x, protocol 2025-11-25. */
export const legacySdkClient: OAuthClient = {
  async connect(mcpUrl, authorize) {
    await using callback = await openCallback();
    const memory: Memory<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState> = {};
    const authProvider = memoryProvider(callback.redirectUri, memory);
    const transport = (): StreamableHTTPClientTransport =>
      new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider });
    const client = new Client({ name: clientName, version: '1' });
    const first = transport();
    await expectAuthorizationNeeded(client.connect(first));
    await authorize(memory.authorizationUrl ?? '');
    const { searchParams } = await callback.answer(memory.state ?? '');
    await first.finishAuth(searchParams.get('code') ?? '');
    await client.connect(transport());
    return sessionOf(mcpUrl, client, memory);
  },
};

/** The client of `@modelcontextprotocol/client` 2.x, which checks the issuer of the response (RFC 9207). */
export const modernSdkClient: OAuthClient = {
  async connect(mcpUrl, authorize) {
    await using callback = await openCallback();
    const memory: Memory<StoredOAuthClientInformation, StoredOAuthTokens, ModernDiscovery> = {};
    const authProvider = memoryProvider(callback.redirectUri, memory);
    const transport = (): ModernTransport => new ModernTransport(new URL(mcpUrl), { authProvider });
    const client = new ModernClient({ name: clientName, version: '1' });
    const first = transport();
    await expectAuthorizationNeeded(client.connect(first));
    await authorize(memory.authorizationUrl ?? '');
    await first.finishAuth((await callback.answer(memory.state ?? '')).searchParams);
    await client.connect(transport());
    return sessionOf(mcpUrl, client, memory);
  },
};

/** Expects the error by which the SDKs report that an authorization is needed. */
async function expectAuthorizationNeeded(connecting: Promise<void>): Promise<void> {
  const problem = await connecting.then(
    () => new Error('connected without authorization'),
    (error: unknown) => error,
  );
  if ((problem as Error).constructor.name !== 'UnauthorizedError') throw problem;
}

function sessionOf(
  mcpUrl: string,
  client: Parameters<typeof toolsOf>[0] & { close(): Promise<void> },
  memory: AnyMemory,
): OAuthSession {
  const refreshToken = (): string => memory.tokens?.refresh_token ?? '';
  const tools = toolsOf(client);
  return {
    ...tools,
    async refresh() {
      const before = refreshToken();
      // A token that the server refuses makes the SDK use its refresh token.
      if (memory.tokens !== undefined) memory.tokens.access_token = 'expired';
      await tools.listTools();
      return { before, after: refreshToken() };
    },
    revoke: () => revokeToken(mcpUrl, refreshToken(), memory.client ?? { client_id: '' }),
    close: () => client.close(),
  };
}
