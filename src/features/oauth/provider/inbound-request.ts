import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { TooLarge } from '../../../foundation/kernel/errors.ts';
import type { OAuthCaller } from '../authorization-server.ts';

/** Bytes of a form or a registration. */
const maxBody = 64 * 1024;

/** @throws TooLarge; what is still on its way is not read, so nothing else can come over this connection */
export async function readBody(request: IncomingMessage): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > maxBody) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBody) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(): TooLarge {
  return new TooLarge('The request body is larger than 64 KiB.');
}

export interface InboundParts {
  readonly baseUrl: string;
  readonly caller: OAuthCaller;
  /** Path and query. */
  readonly url: string;
  /** Instead of the request's own, which has been read. */
  readonly body?: string;
}

/**
 * The request as the library sees it: it believes what a request says of its host, protocol and address, so those are
 * taken from AUTH_BASE_URL and from who really called. The stream behind it is left alone.
 */
export function inboundRequest(request: IncomingMessage, parts: InboundParts): IncomingMessage {
  const { url, body } = parts;
  const bytes = body === undefined ? undefined : Buffer.from(body, 'utf8');
  const own: Record<string, unknown> = {
    url,
    originalUrl: undefined,
    headers: pinned(request, parts, bytes),
  };
  if (bytes !== undefined) {
    own['readable'] = true;
    own['readableEncoding'] = null;
    own['iterator'] = () => Readable.from([bytes]).iterator();
  }
  const values = Object.entries(own).map(([name, value]) => [name, { value, writable: true }] as const);
  return Object.create(request, Object.fromEntries(values)) as IncomingMessage;
}

function pinned(
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
