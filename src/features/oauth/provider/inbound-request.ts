import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { OAuthCaller } from '../authorization-server.ts';

export interface InboundParts {
  readonly baseUrl: string;
  readonly caller: OAuthCaller;
  /** Path and query. */
  readonly url: string;
  /** Replaces the body of the request, which has already been read. */
  readonly body?: string;
}

/**
 * Wraps a request for the library, which trusts the request's host, protocol and forwarding headers. The wrapper takes
 * these from AUTH_BASE_URL and the caller's verified address. The underlying stream is not changed.
 */
export function inboundRequest(request: IncomingMessage, parts: InboundParts): IncomingMessage {
  const { url, body } = parts;
  const bytes = body === undefined ? undefined : Buffer.from(body, 'utf8');
  const own: Record<string, unknown> = {
    url,
    originalUrl: undefined,
    headers: trustedHeaders(request, parts, bytes),
  };
  if (bytes !== undefined) {
    own['readable'] = true;
    own['readableEncoding'] = null;
    own['iterator'] = () => Readable.from([bytes]).iterator();
  }
  const values = Object.entries(own).map(([name, value]) => [name, { value, writable: true }] as const);
  return Object.create(request, Object.fromEntries(values)) as IncomingMessage;
}

function trustedHeaders(
  { headers }: IncomingMessage,
  { baseUrl, caller }: InboundParts,
  body: Buffer | undefined,
): IncomingHttpHeaders {
  const { host, protocol } = new URL(baseUrl);
  const kept = Object.entries(headers).filter(([name]) => !isForwarding(name));
  const { 'transfer-encoding': encoding, 'content-length': length, ...rest } = Object.fromEntries(kept);
  const framing =
    body === undefined
      ? { 'transfer-encoding': encoding, 'content-length': length }
      : { 'content-length': String(body.length) };
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(framing).filter(([, value]) => value !== undefined)),
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
    ...(caller.address !== undefined && { 'x-forwarded-for': caller.address }),
  };
}

function isForwarding(name: string): boolean {
  return name === 'forwarded' || name === 'host' || name.startsWith('x-forwarded-');
}

export function isForm(headers: IncomingHttpHeaders): boolean {
  return mediaType(headers) === 'application/x-www-form-urlencoded';
}

export function isJson(headers: IncomingHttpHeaders): boolean {
  return mediaType(headers) === 'application/json';
}

function mediaType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}
