import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { rateLimits } from '../../../src/surfaces/http/requests/rate-limits.ts';
import type { TestDatabase } from '../database/databases.ts';
import { openTestHttp } from '../http/http-server.ts';
import { openTestAuthorizationServer, type TestAuthorizationServerOptions } from './authorization-server.ts';

const baseUrl = 'https://ctx.example';

export const loopback = ['http://127.0.0.1:33418/cb'];
export const publicClient = { redirect_uris: loopback, token_endpoint_auth_method: 'none' };

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

export interface RegistrationServer {
  register(body: unknown, from?: From): Promise<Answer>;
  authorize(params: Record<string, string>): Promise<Answer>;
  call(path: string, init?: RequestInit): Promise<Answer>;
}

interface From {
  readonly address?: string;
  readonly type?: string;
  readonly headers?: Record<string, string>;
}

interface ServerOptions extends Pick<TestAuthorizationServerOptions, 'clientDocuments'> {
  readonly clock?: () => number;
  readonly allowHosts?: readonly string[];
  readonly trustProxy?: boolean;
  /** Maximum requests per minute from one address. */
  readonly limit?: number;
}

/** Starts the whole service; it stops at the end of the test. */
export async function openRegistrationServer(
  database: TestDatabase,
  { trustProxy = true, limit, ...options }: ServerOptions = {},
): Promise<RegistrationServer> {
  const oauth = await openTestAuthorizationServer(database, { baseUrl, ...options });
  const limits = { ...rateLimits, ...(limit !== undefined && { authorizationServer: limit }) };
  const { server } = await openTestHttp(database, { baseUrl, oauth, http: { trustProxy }, limits });
  onTestFinished(() => server.close());
  await server.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const call: RegistrationServer['call'] = async (path, init) => {
    const response = await fetch(origin + path, { redirect: 'manual', ...init });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: response.status, headers: response.headers, text, json };
  };
  return {
    call,
    register: (body, { address = '203.0.113.1', type = 'application/json', headers } = {}) =>
      call('/.auth/register', {
        method: 'POST',
        headers: { 'content-type': type, 'x-forwarded-for': address, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    authorize: (params) => {
      const query = {
        response_type: 'code',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
        ...params,
      };
      return call(`/.auth/authorize?${new URLSearchParams(query).toString()}`);
    },
  };
}

/** Response to an accepted request: a redirect to the interaction page. */
export const asks = { status: 303, location: expect.stringMatching(/\/\.auth\/interaction\//) };
export const seen = ({ status, headers }: Answer) => ({ status, location: headers.get('location') });
