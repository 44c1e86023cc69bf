import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate-authority.ts';

/** What an instance answers; `hangs` accepts the request and never does. */
export type InstanceAnswer =
  | 'hangs'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Sent as JSON, or as it is when it is a string. */
      readonly body?: unknown;
    };

/** By path, or by method and path (`GET /mcp`). `origin` is the instance's own. */
export type InstanceRoutes = Readonly<Record<string, (origin: string) => InstanceAnswer>>;

export interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface McpInstance extends AsyncDisposable {
  readonly origin: string;
  readonly mcpUrl: string;
  readonly asked: readonly AskedRequest[];
}

export const resourcePath = '/.well-known/oauth-protected-resource';
export const serverPath = '/.well-known/oauth-authorization-server';

/**
 * What clients see of an instance in order before they sign in, but for the answers given: a service that is broken on
 * purpose. Over https with a certificate.
 */
export async function startMcpInstance(
  broken: InstanceRoutes = {},
  certificate?: Certificate,
): Promise<McpInstance> {
  const asked: AskedRequest[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void request.toArray().then((chunks: Buffer[]) => {
      const { method = '', url = '', headers } = request;
      const path = new URL(url, origin).pathname;
      asked.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      send(response, answerOf({ ...healthy, ...broken }, method, path)?.(origin) ?? { status: 404 });
    });
  };
  const server: Server =
    certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http${certificate ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    mcpUrl: `${origin}/mcp`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerOf(routes: InstanceRoutes, method: string, path: string): InstanceRoutes[string] | undefined {
  return routes[`${method} ${path}`] ?? routes[path];
}

function send(response: ServerResponse, answer: InstanceAnswer): void {
  if (answer === 'hangs') return;
  const { status, headers, body = {} } = answer;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const healthy: InstanceRoutes = {
  '/.status': () => ({ status: 200, body: { status: 'ok', timestamp: new Date().toISOString() } }),
  '/mcp': (origin) => challenged(`Bearer resource_metadata="${origin}${resourcePath}/mcp", scope="mcp"`),
  [`${resourcePath}/mcp`]: (origin) => ({ status: 200, body: resourceMetadata(origin) }),
  [resourcePath]: (origin) => ({ status: 200, body: { ...resourceMetadata(origin), resource: origin } }),
  [serverPath]: (origin) => ({ status: 200, body: serverMetadata(origin) }),
};

/** A 401 with this header. */
export function challenged(header: string): InstanceAnswer {
  return { status: 401, headers: { 'www-authenticate': header } };
}

/** RFC 9728, as a healthy instance says it; `undefined` takes a member out. */
export function resourceMetadata(origin: string, changes: Readonly<Record<string, unknown>> = {}): object {
  return {
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
    bearer_methods_supported: ['header'],
    scopes_supported: ['mcp'],
    ...changes,
  };
}

/** RFC 8414, likewise. */
export function serverMetadata(origin: string, changes: Readonly<Record<string, unknown>> = {}): object {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/.auth/authorize`,
    token_endpoint: `${origin}/.auth/token`,
    registration_endpoint: `${origin}/.auth/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...changes,
  };
}
