import { fileURLToPath } from 'node:url';

/** Lets a person open an authorization in a browser, sign in, choose an organization and allow. */
export type Authorize = (authorizationUrl: string | URL) => Promise<void>;

/** An MCP client with its own OAuth implementation, which knows only the address of the server. */
export interface OAuthClient {
  /** Connects, starting from the bare 401: discovery, registration, authorization, token. */
  connect(mcpUrl: string, authorize: Authorize): Promise<OAuthSession>;
}

export interface OAuthSession {
  /** Lists the tools; fails if the server rejects the client's tokens. */
  listTools(): Promise<readonly string[]>;
  /** Returns the result of `svc_advisor` as JSON. */
  ask(prompt: string): Promise<string>;
  /** Makes the client use its refresh token without a person. */
  refresh(): Promise<Rotation>;
  /** Revokes the access at the authorization server (RFC 7009). */
  revoke(): Promise<void>;
  close(): Promise<void>;
}

/** The refresh tokens before and after a refresh. */
export interface Rotation {
  readonly before: string;
  readonly after: string;
}

export const clientName = 'Independent client';

export const binary = (name: string): string =>
  fileURLToPath(new URL(`../../../../node_modules/.bin/${name}`, import.meta.url));

interface McpClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { name: string; arguments: { prompt: string } }): Promise<unknown>;
}

/** Implements the tool calls of a session with an MCP client of either SDK. */
export function toolsOf(client: McpClient): Pick<OAuthSession, 'listTools' | 'ask'> {
  return {
    listTools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    ask: async (prompt) =>
      JSON.stringify(await client.callTool({ name: 'svc_advisor', arguments: { prompt } })),
  };
}

export interface Registration {
  readonly client_id: string;
  /** Present unless the client requested none: the default of RFC 7591 section 2 is HTTP Basic. */
  readonly client_secret?: string | undefined;
}

/** Revokes a token (RFC 7009) at the endpoint in the metadata, for clients without that feature. */
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
  if (answer.status !== 200) throw new Error(`the revocation returned status ${answer.status}`);
}
