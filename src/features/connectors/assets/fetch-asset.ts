import { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { HttpClient, HttpResponse } from '../../../foundation/net/http.ts';
import { OutboundError, RefusedDestination } from '../../../foundation/net/outbound-error.ts';

/** The origin of the files that were uploaded to the provider, and the access to them. */
export interface UploadsAccess {
  /** The tokens are sent to this origin and to no other one. */
  readonly origin: string;
  /** Returns a valid access token. `refused` is one that was not accepted. */
  accessToken(signal: AbortSignal, refused?: string): Promise<string>;
}

export interface AssetRequest {
  readonly url: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The content of an asset, or why there can be none until the address or the entity changes. */
export type FetchedAsset = { readonly content: Buffer } | { readonly refusal: string };

/** Time limit of an upload, and of an asset of another host. Anybody who writes a text chooses the latter. */
const uploadTimeoutMs = 30_000;
const embeddedTimeoutMs = 10_000;

/**
 * Returns whether an address is an upload at the provider; all others are embedded assets. The whole origin must be
 * equal: the tokens of the connection are sent there.
 */
export function isUpload(url: string, uploadsOrigin: string): boolean {
  return URL.parse(url)?.origin === uploadsOrigin;
}

/**
 * Fetches an asset. An upload is requested with a token, and a redirect of it is followed without the token. Its target
 * and embedded assets are addresses that data names.
 * @throws errors after which another attempt may succeed
 */
export async function fetchAsset(
  http: Pick<HttpClient, 'request'>,
  uploads: UploadsAccess,
  request: AssetRequest,
): Promise<FetchedAsset> {
  try {
    const response = isUpload(request.url, uploads.origin)
      ? await requestUpload(http, uploads, request)
      : await requestWithoutToken(http, request, embeddedTimeoutMs);
    return contentOf(response);
  } catch (error) {
    if (error instanceof RefusedDestination) return { refusal: 'its address is not public, or not https' };
    if (!(error instanceof OutboundError) || error.retryable) throw error;
    const isTooLarge = error.reason === 'too_large';
    return { refusal: isTooLarge ? tooLarge(request.maxBytes) : 'its host did not send a valid answer' };
  }
}

async function requestUpload(
  http: Pick<HttpClient, 'request'>,
  uploads: UploadsAccess,
  request: AssetRequest,
): Promise<HttpResponse> {
  const { signal, url } = request;
  const send = (token: string) => {
    const headers = { ...identity, authorization: `Bearer ${token}` };
    return http.request({ ...request, timeoutMs: uploadTimeoutMs, destination: 'operator', headers });
  };
  const token = await uploads.accessToken(signal);
  let response = await send(token);
  if (response.status === 401) response = await send(await uploads.accessToken(signal, token));
  const { location } = response.headers;
  const isRedirect = response.status >= 300 && response.status < 400 && location !== undefined;
  if (!isRedirect) return response;
  const target = { ...request, url: URL.parse(location, url)?.href ?? location };
  return requestWithoutToken(http, target, uploadTimeoutMs);
}

function requestWithoutToken(
  http: Pick<HttpClient, 'request'>,
  request: AssetRequest,
  timeoutMs: number,
): Promise<HttpResponse> {
  const options = { destination: 'tenant', headers: identity, followRedirects: true } as const;
  return http.request({ ...request, ...options, timeoutMs });
}

/** Compressed content would only be unpacked again. */
const identity = { accept: '*/*', 'accept-encoding': 'identity' } as const;

function contentOf({ status, body }: HttpResponse): FetchedAsset {
  if (status === 200) return { content: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
  if (status === 429 || status >= 500) throw unavailable(`answered with HTTP ${status}`);
  return { refusal: `its host answered with HTTP ${status}` };
}

export function tooLarge(maxBytes: number): string {
  return `it is larger than ${Math.floor(maxBytes / 1_024)} KiB, which is what is left for it`;
}

/** Time for which a host is not asked after a time-out, in milliseconds. */
const pauseMs = 10 * 60_000;
/** Maximum number of hosts; the oldest pauses end early. */
const maxHosts = 1_000;

/**
 * The hosts of embedded assets that did not answer in time, for each connection. The other assets of such a host wait
 * without a request, because each one would hold a slot until its own time-out. Kept in memory: a restart costs one
 * time-out for each host.
 */
export function openHostPauses(now: () => number) {
  const until = new Map<string, number>();
  /** Runs a request to the host of an address. @throws Unavailable, without a request, while the host is paused */
  return async <T>(connection: ConnectionId, url: string, send: () => Promise<T>): Promise<T> => {
    const key = `${connection} ${URL.parse(url)?.host}`;
    const leftMs = (until.get(key) ?? 0) - now();
    if (leftMs > 0) throw unavailable('did not answer in time', { retryAfter: Math.ceil(leftMs / 1_000) });
    try {
      return await send();
    } catch (error) {
      if (error instanceof OutboundError && error.reason === 'timeout') {
        until.delete(key);
        until.set(key, now() + pauseMs);
        const [oldest = ''] = until.keys();
        if (until.size > maxHosts) until.delete(oldest);
      }
      throw error;
    }
  };
}

export type HostPauses = ReturnType<typeof openHostPauses>;

function unavailable(what: string, options?: { readonly retryAfter: number }): Unavailable {
  return new Unavailable(
    'asset_unavailable',
    `The host of an asset ${what}. It is tried again later.`,
    options,
  );
}
