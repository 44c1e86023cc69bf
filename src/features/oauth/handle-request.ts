import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Provider } from 'oidc-provider';
import type { Database } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { OAuthCaller } from './authorization-server.ts';
import { countAuthorization } from './count-authorization.ts';
import { oauthPaths } from './endpoints.ts';
import { OAuthError } from './oauth-error.ts';
import { inboundRequest, isForm, isJson } from './provider/inbound-request.ts';
import {
  parseParameters,
  withAuthorizationDefaults,
  withDeviceDefaults,
  withPlainResources,
} from './provider/request-parameters.ts';
import { countRegistration } from './registration/count-registration.ts';
import { guardRegistration } from './registration/guard-registration.ts';

export interface EndpointDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly baseUrl: string;
  provider(): Provider;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: OAuthCaller;
  /** The whole body of the request as text. */
  readonly body: string;
}

/**
 * Handles one request: checks and normalizes it, then passes it to the library.
 * @throws OAuthError, RateLimited for a request that does not reach the library
 */
export async function handleRequest(deps: EndpointDeps, exchange: Exchange): Promise<void> {
  const { request, response, caller } = exchange;
  try {
    const parts =
      request.method === 'POST' ? await postParts(deps, exchange) : await queryParts(deps, exchange);
    const inbound = inboundRequest(request, { baseUrl: deps.baseUrl, caller, ...parts });
    await deps.provider().callback()(inbound, response);
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError && error.expose)) throw error;
    throw new OAuthError(error.error, error.error_description ?? error.message, error.statusCode);
  }
}

async function queryParts(
  deps: EndpointDeps,
  { request: { url = '/' }, caller }: Exchange,
): Promise<{ url: string }> {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  // No other endpoint uses a query, and the library parses queries slowly.
  if (path !== oauthPaths.authorize) return { url: path };
  const query = parseParameters(at === -1 ? '' : url.slice(at + 1));
  await countAuthorization(deps, caller);
  return { url: `${path}?${withAuthorizationDefaults(query, deps.baseUrl).toString()}` };
}

/** Drops the query of a POST: credentials and parameters belong in its body (RFC 6749 section 3.2). */
async function postParts(
  deps: EndpointDeps,
  { request, caller, body: text }: Exchange,
): Promise<{ url: string; body: string }> {
  const { baseUrl } = deps;
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  if (path === oauthPaths.register)
    return { url: path, body: await registration(deps, request, text, caller) };
  if (!isForm(request.headers)) return { url: path, body: text };
  const form = parseParameters(text);
  if (path !== oauthPaths.deviceAuthorization) {
    return { url: path, body: withPlainResources(form, baseUrl).toString() };
  }
  await countAuthorization(deps, caller);
  return { url: path, body: withDeviceDefaults(form, baseUrl).toString() };
}

/** Replaces the body of a registration with validated metadata, so that the library stores nothing else. */
async function registration(
  { database, clock }: EndpointDeps,
  { headers }: IncomingMessage,
  text: string,
  { address }: OAuthCaller,
): Promise<string> {
  if (!isJson(headers)) throw new errors.InvalidRequest('a registration must be sent as application/json');
  const metadata = guardRegistration(parseJson(text));
  await countRegistration(database, address, clock());
  return JSON.stringify(metadata);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new errors.InvalidRequest('the registration is not JSON', undefined, { cause });
  }
}
