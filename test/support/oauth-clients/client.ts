import { fileURLToPath } from 'node:url';

/** Has a person open an authorization in a browser, sign in, choose an organization and allow. */
export type Authorize = (authorizationUrl: string | URL) => Promise<void>;

/** An MCP client with OAuth of its own, which knows nothing but the address of the server. */
export interface OAuthClient {
  /** From the bare 401 to a connection: discovery, registration, authorization, token. */
  connect(mcpUrl: string, authorize: Authorize): Promise<OAuthSession>;
}

export interface OAuthSession {
  /** Fails where the server no longer takes what the client holds. */
  listTools(): Promise<readonly string[]>;
  /** The result of `svc_advisor`, as JSON. */
  ask(prompt: string): Promise<string>;
  /** Has the client use its refresh token, without any person. */
  refresh(): Promise<Rotation>;
  /** Gives the access up at the authorization server (RFC 7009). */
  revoke(): Promise<void>;
  close(): Promise<void>;
}

/** Refresh tokens before and after. */
export interface Rotation {
  readonly before: string;
  readonly after: string;
}

export const clientName = 'Independent client';

export const binary = (name: string): string =>
  fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url));

interface McpClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { name: string; arguments: { prompt: string } }): Promise<unknown>;
}

/** What a session does over an MCP client, of either SDK. */
export function toolsOf(client: McpClient): Pick<OAuthSession, 'listTools' | 'ask'> {
  return {
    listTools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    ask: async (prompt) =>
      JSON.stringify(await client.callTool({ name: 'svc_advisor', arguments: { prompt } })),
  };
}

export interface Registration {
  readonly client_id: string;
  /** Of a client that did not ask to have none: RFC 7591 section 2 gives it HTTP Basic. */
  readonly client_secret?: string | undefined;
}

/** RFC 7009, for clients that cannot: with what they hold, at the endpoint that the metadata names. */
export async function revokeToken(mcpUrl: string, token: string, client: Registration): Promise<void> {
  const metadata = await fetch(new URL('/.well-known/oauth-authorization-server', mcpUrl));
  const { revocation_endpoint: endpoint } = (await metadata.json()) as { revocation_endpoint: string };
  const { client_id: id, client_secret: secret } = client;
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: secret === undefined ? {} : { authorization: basic },
    body: new URLSearchParams(secret === undefined ? { token, client_id: id } : { token }),
  });
  if (answer.status !== 200) throw new Error(`revocation was answered ${answer.status}`);
}
