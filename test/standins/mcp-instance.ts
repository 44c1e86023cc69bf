import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate-authority.ts';

/** The response of an instance; `hangs` accepts the request and never responds. */
export type InstanceAnswer =
  | 'hangs'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** A string is sent unchanged, anything else as JSON. */
      readonly body?: unknown;
    };

/** Responses by path, or by method and path (`GET /mcp`). `origin` is the instance's own. */
export type InstanceRoutes = Readonly<Record<string, (origin: string) => InstanceAnswer>>;

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface McpInstance extends AsyncDisposable {
  readonly origin: string;
  readonly mcpUrl: string;
  readonly requests: readonly ReceivedRequest[];
}

export const resourcePath = '/.well-known/oauth-protected-resource';
export const serverPath = '/.well-known/oauth-authorization-server';

/**
 * Starts a stand-in for the unauthenticated routes of a healthy instance. `broken` replaces the responses of some
 * routes. Serves https if a certificate is given.
 */
export async function startMcpInstance(
  broken: InstanceRoutes = {},
  certificate?: Certificate,
): Promise<McpInstance> {
  const requests: ReceivedRequest[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void request.toArray().then((chunks: Buffer[]) => {
      const { method = '', url = '', headers } = request;
      const path = new URL(url, origin).pathname;
      requests.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
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
    requests,
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

/** Returns a 401 response with this `WWW-Authenticate` header. */
export function challenged(header: string): InstanceAnswer {
  return { status: 401, headers: { 'www-authenticate': header } };
}

/** Returns the RFC 9728 metadata of a healthy instance with `changes`; `undefined` removes a field. */
export function resourceMetadata(origin: string, changes: Readonly<Record<string, unknown>> = {}): object {
  return {
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
    bearer_methods_supported: ['header'],
    scopes_supported: ['mcp'],
    ...changes,
  };
}

/** Returns the RFC 8414 metadata of a healthy instance with `changes`; `undefined` removes a field. */
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
