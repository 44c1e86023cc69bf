import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import { RateLimited } from '../../foundation/kernel/errors.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { OAuthCaller } from './authorization-server.ts';
import {
  type DeviceAnswer,
  type DevicePageDeps,
  showDeviceDone,
  showDevicePage,
  takeDeviceCode,
} from './devices/device-page.ts';
import { oauthPaths } from './endpoints.ts';
import { BodyTooLarge, inboundRequest, isForm, isJson, readBody } from './provider/inbound-request.ts';
import { withAuthorizationDefaults, withPlainResources } from './provider/request-parameters.ts';
import { countRegistration } from './registration/count-registration.ts';
import { guardRegistration } from './registration/guard-registration.ts';

export interface EndpointDeps extends DevicePageDeps {
  readonly log: Logger;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: OAuthCaller;
}

/** Answers one request: ours what is about devices, the library's the rest, as we let it see the request. */
export async function handleRequest(deps: EndpointDeps, exchange: Exchange): Promise<void> {
  const { request, response, caller } = exchange;
  try {
    const path = (request.url ?? '').split('?', 1)[0];
    if (path === oauthPaths.device) return sendDeviceAnswer(response, await deviceAnswer(deps, exchange));
    if (path === oauthPaths.deviceDone)
      return sendDeviceAnswer(response, await showDeviceDone(deps, request));
    const parts = request.method === 'POST' ? await postedParts(deps, exchange) : queriedParts(deps, request);
    const inbound = inboundRequest(request, { baseUrl: deps.baseUrl, caller, ...parts });
    await deps.provider().callback()(inbound, response);
  } catch (error) {
    if (error instanceof BodyTooLarge) return sendTooLarge(response);
    if (error instanceof RateLimited) return sendTooMany(response, error);
    if (error instanceof errors.OIDCProviderError && error.expose) return sendError(response, error);
    throw error;
  }
}

async function deviceAnswer(
  deps: EndpointDeps,
  { request, response, caller }: Exchange,
): Promise<DeviceAnswer> {
  if (request.method !== 'POST') return showDevicePage(deps, request, response);
  const form = new URLSearchParams(await readBody(request));
  return takeDeviceCode(deps, request, response, { form, caller });
}

function queriedParts({ baseUrl }: EndpointDeps, { url = '/' }: IncomingMessage): { url: string } {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  if (path !== oauthPaths.authorize) return { url };
  const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
  return { url: `${path}?${withAuthorizationDefaults(query, baseUrl).toString()}` };
}

/** The query of a POST says nothing: credentials and parameters belong into its body (RFC 6749 section 3.2). */
async function postedParts(
  deps: EndpointDeps,
  { request, caller }: Exchange,
): Promise<{ url: string; body: string }> {
  const { baseUrl } = deps;
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const text = await readBody(request);
  if (path === oauthPaths.register)
    return { url: path, body: await registration(deps, request, text, caller) };
  if (!isForm(request.headers)) return { url: path, body: text };
  const form = new URLSearchParams(text);
  const plain =
    path === oauthPaths.deviceAuthorization
      ? withAuthorizationDefaults(form, baseUrl)
      : withPlainResources(form, baseUrl);
  return { url: path, body: plain.toString() };
}

/** What the library stores of a registration is what the guard makes of it, whatever its body was. */
async function registration(
  { database, clock }: EndpointDeps,
  { headers }: IncomingMessage,
  text: string,
  { address }: OAuthCaller,
): Promise<string> {
  if (!isJson(headers)) throw new errors.InvalidRequest('a registration is sent as application/json');
  const metadata = guardRegistration(parseJson(text));
  await countRegistration(database.queries, address, clock());
  return JSON.stringify(metadata);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new errors.InvalidRequest('the registration is not JSON', undefined, { cause });
  }
}

function sendDeviceAnswer(response: ServerResponse, answer: DeviceAnswer): void {
  response.setHeader('cache-control', 'no-store');
  if ('location' in answer) {
    response.statusCode = 303;
    response.setHeader('location', answer.location);
    response.end();
    return;
  }
  response.statusCode = answer.status;
  if (answer.retryAfter !== undefined)
    response.setHeader('retry-after', String(Math.ceil(answer.retryAfter)));
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(answer.html);
}

function sendError(response: ServerResponse, error: errors.OIDCProviderError): void {
  sendJson(response, error.statusCode, {
    error: error.error,
    ...(error.error_description !== undefined && { error_description: error.error_description }),
  });
}

/** What is still on its way is not read, so nothing else can come over this connection. */
function sendTooLarge(response: ServerResponse): void {
  response.setHeader('connection', 'close');
  sendJson(response, 413, {
    error: 'invalid_request',
    error_description: 'the request body is larger than 64 KiB',
  });
}

/** RFC 6749 has no word for it; this one says that it will pass. */
function sendTooMany(response: ServerResponse, { message, retryAfter }: RateLimited): void {
  response.setHeader('retry-after', String(Math.ceil(retryAfter)));
  sendJson(response, 429, { error: 'temporarily_unavailable', error_description: message });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
}
