import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connector, ProviderContext, ProviderTokens } from '../../src/features/connectors/port.ts';
import { InvalidInput, Unavailable } from '../../src/foundation/kernel/errors.ts';

/** The provider of the toy connector on loopback: OAuth 2 with PKCE, an account, boxes and the revocation of tokens. */
export interface ToyProvider extends AsyncDisposable {
  readonly origin: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The account of the person who authorizes. */
  account: { id: string; name: string };
  /** The redirect URIs that are registered, compared character by character. */
  readonly redirectUris: Set<string>;
  /** What the provider grants. */
  scope: string;
  /** What a scope can name. */
  boxes: readonly string[];
  /** Access tokens that work. */
  readonly tokens: Set<string>;
  /** Status of each revocation; 200 revokes. */
  revokeStatus: number;
  readonly calls: string[];
  close(): Promise<void>;
}

interface Code {
  readonly challenge: string;
  readonly redirectUri: string;
}

export async function startToyProvider(): Promise<ToyProvider> {
  const codes = new Map<string, Code>();

  /** The page of the provider: a person who is signed in and agrees at once. */
  function authorize(url: URL, response: ServerResponse): void {
    const get = (name: string): string => url.searchParams.get(name) ?? '';
    const redirectUri = get('redirect_uri');
    const good =
      get('client_id') === provider.clientId &&
      provider.redirectUris.has(redirectUri) &&
      get('response_type') === 'code' &&
      get('scope') === 'read' &&
      get('code_challenge_method') === 'S256' &&
      /^[\w-]{43}$/.test(get('code_challenge'));
    if (!good) {
      response.writeHead(400).end('The request does not match the registered app.');
      return;
    }
    const code = randomUUID();
    codes.set(code, { challenge: get('code_challenge'), redirectUri });
    const target = new URL(redirectUri);
    target.searchParams.set('code', code);
    target.searchParams.set('state', get('state'));
    response.writeHead(302, { location: target.href }).end();
  }

  function exchange(body: URLSearchParams, response: ServerResponse): void {
    const code = codes.get(body.get('code') ?? '');
    codes.delete(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const good =
      code !== undefined &&
      body.get('grant_type') === 'authorization_code' &&
      body.get('client_id') === provider.clientId &&
      body.get('client_secret') === provider.clientSecret &&
      body.get('redirect_uri') === code.redirectUri &&
      challenge === code.challenge;
    if (!good) {
      json(response, 400, { error: 'invalid_grant', error_description: 'The code is wrong.' });
      return;
    }
    const token = `toy-access-${randomUUID()}`;
    provider.tokens.add(token);
    json(response, 200, {
      access_token: token,
      refresh_token: `toy-refresh-${randomUUID()}`,
      token_type: 'Bearer',
      expires_in: 86_400,
      scope: provider.scope,
    });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', provider.origin);
    provider.calls.push(`${request.method} ${url.pathname}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const route = `${request.method} ${url.pathname}`;
    if (route === 'GET /authorize') return authorize(url, response);
    if (route === 'POST /token') return exchange(body, response);
    if (route === 'POST /revoke') {
      if (provider.revokeStatus === 200) provider.tokens.delete(body.get('token') ?? '');
      json(response, provider.revokeStatus, {});
      return;
    }
    if (!provider.tokens.has(token)) return json(response, 401, { error: 'invalid_token' });
    if (route === 'GET /me') return json(response, 200, provider.account);
    if (route === 'GET /boxes') return json(response, 200, { boxes: provider.boxes });
    json(response, 404, {});
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: ToyProvider = {
    origin,
    clientId: 'toy-client',
    clientSecret: 'toy-client-secret',
    account: { id: 'box-1', name: 'Box One' },
    redirectUris: new Set(),
    scope: 'read',
    boxes: ['red', 'blue', 'green'],
    tokens: new Set(),
    revokeStatus: 200,
    calls: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    [Symbol.asyncDispose]: () => provider.close(),
  };
  return provider;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** How connections of the toy get their account and scope. */
export const toySetup: Pick<Connector, 'oauth' | 'scopeOptions'> = {
  oauth: {
    endpoints: (values) => ({
      authorize: `${String(values['TOY_URL'])}/authorize`,
      token: `${String(values['TOY_URL'])}/token`,
    }),
    parameters: { scope: 'read' },
    exclusiveAccount: true,
    async readAccount(tokens, context) {
      if (tokens.scope !== 'read') throw new InvalidInput('The authorization lacks the scope read.');
      const { id, name } = (await fetchJson('/me', tokens, context)) as { id: string; name: string };
      return { id, name };
    },
    async revoke({ accessToken }, { http, values, signal }) {
      const { status } = await http.request({
        url: `${String(values['TOY_URL'])}/revoke`,
        destination: 'operator',
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token: accessToken }).toString(),
        signal,
      });
      if (status !== 200) throw new Unavailable('unavailable', 'The provider did not revoke the token.');
      return 'HTTP 200';
    },
  },
  async scopeOptions({ query, cursor = '0', limit }, tokens, context) {
    const { boxes } = (await fetchJson('/boxes', tokens, context)) as { boxes: string[] };
    const found = boxes.filter((name) => name.includes(query ?? ''));
    const end = Number(cursor) + limit;
    const shown = found.slice(Number(cursor), end);
    return {
      items: shown.map((name) => ({ id: `id-${name}`, kind: 'box', name, key: name })),
      nextCursor: end < found.length ? String(end) : undefined,
    };
  },
};

async function fetchJson(path: string, tokens: ProviderTokens, { http, values, signal }: ProviderContext) {
  const { status, body } = await http.request({
    url: `${String(values['TOY_URL'])}${path}`,
    destination: 'operator',
    headers: { authorization: `Bearer ${tokens.accessToken}` },
    signal,
  });
  if (status !== 200) throw new Unavailable('unavailable', `The provider answered ${status}.`);
  return JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
}
