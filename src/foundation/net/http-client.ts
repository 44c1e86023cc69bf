import { errorCode } from '../kernel/error-code.ts';
import { InvalidInput, OrgctxError } from '../kernel/errors.ts';
import { assertOutsideTransaction } from '../kernel/inside-transaction.ts';
import type { OutboundProxies } from '../kernel/outbound-proxy.ts';
import { type Tracer, tracingOff } from '../telemetry/tracer.ts';
import { bareHost } from './allow-hosts.ts';
import { checkDestination, type Destination } from './check-destination.ts';
import { classifyFailure } from './classify-failure.ts';
import type { Sender } from './connector.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http.ts';
import { OutboundError } from './outbound-error.ts';
import { proxyFailure } from './proxy-failure.ts';
import { readBody } from './read-body.ts';
import { followRedirect, type Hop, maxRedirects } from './redirect.ts';
import { type Lookup, lookupWithSystem } from './resolve-public.ts';
import { streamRequest } from './stream-request.ts';
import { traceHeader, traceRequest } from './trace-request.ts';
import { untilAborted } from './until-aborted.ts';

export interface HttpClientDeps {
  /** `Config.outbound.allowHosts`. */
  readonly allowHosts: readonly string[];
  /** Resolver for tenant URLs. Default: the system's resolver. */
  readonly lookup?: Lookup;
  /** `Secrets.proxies`. Default: every connection is direct. */
  readonly proxies?: OutboundProxies | undefined;
  /** Default: off. */
  readonly tracer?: Tracer;
}

const defaults = { timeoutMs: 10_000, maxBytes: 1024 * 1024 } as const;

/**
 * Creates the only HTTP client of the program. It uses no cookies or cache, and only the given proxies. Its library is
 * loaded with the first request.
 */
export function createHttpClient(deps: HttpClientDeps): HttpClient {
  let opened: Promise<Sender> | undefined;
  let closed = false;
  const open = (): Promise<Sender> => {
    if (closed) throw new Error('The HTTP client is closed.');
    return (opened ??= openSender(deps));
  };
  return {
    request: (options) =>
      traceRequest(deps.tracer ?? tracingOff, options, () => requestWithin(options, deps, open)),
    stream: (options) => {
      const traced = { ...options, destination: 'operator' } as const;
      return traceRequest(deps.tracer ?? tracingOff, traced, () => streamRequest(options, open));
    },
    async close() {
      closed = true;
      await (await opened)?.destroy();
    },
  };
}

async function openSender({ lookup = lookupWithSystem, proxies }: HttpClientDeps): Promise<Sender> {
  const connector = await import('./connector.ts');
  return connector.openSender(lookup, proxies);
}

/** Sends a request within its time limit and the caller's signal, and converts errors. */
async function requestWithin(
  options: HttpRequest,
  deps: HttpClientDeps,
  open: () => Promise<Sender>,
): Promise<HttpResponse> {
  assertOutsideTransaction('An HTTP request');
  options.signal?.throwIfAborted();
  const destination = checkDestination(options.url, options.destination, deps.allowHosts);
  const timeout = AbortSignal.timeout(options.timeoutMs ?? defaults.timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  const hop: Hop = {
    destination,
    method: options.method ?? 'GET',
    headers: headersOf(options),
    body: options.body,
  };
  const progress = { isUnconnected: true };
  try {
    // undici reacts to an abort only once it is connected. Look-up and connecting count as well.
    return await untilAborted(exchange(hop, options, { deps, open, signal, progress }), signal);
  } catch (error) {
    options.signal?.throwIfAborted();
    const host = destination.url.host;
    if (timeout.aborted)
      throw timedOut(host, options.timeoutMs ?? defaults.timeoutMs, { cause: error, ...progress });
    throw outboundFailure(host, error, progress);
  }
}

interface Progress {
  /** True until a connection was established. */
  isUnconnected: boolean;
}

interface Exchange {
  readonly deps: HttpClientDeps;
  readonly open: () => Promise<Sender>;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

async function exchange(first: Hop, options: HttpRequest, within: Exchange): Promise<HttpResponse> {
  let hop = first;
  for (let redirects = 0; ; redirects += 1) {
    const response = await sendHop(hop, within);
    const location = options.followRedirects === true ? locationOf(response) : undefined;
    if (location === undefined) return readResponse(response, hop, options, within.signal);
    await response.body.dump({ limit: 64 * 1024 });
    const host = hop.destination.url.host;
    if (redirects === maxRedirects)
      throw new OutboundError(host, 'protocol', `${host} redirected more than ${maxRedirects} times.`);
    hop = followRedirect(hop, location, {
      status: response.statusCode,
      start: first.destination,
      kind: options.destination,
      allowHosts: within.deps.allowHosts,
    });
  }
}

type HopResponse = Awaited<ReturnType<Sender['send']>>;

async function sendHop(hop: Hop, { open, signal, progress }: Exchange): Promise<HopResponse> {
  const { send, route } = await open();
  const { url } = hop.destination;
  const { dispatcher, proxy } = await route(hop.destination, () => {
    progress.isUnconnected = false;
  });
  const sent = send(withoutUserinfo(url), {
    dispatcher,
    method: hop.method,
    headers: {
      'user-agent': 'orgctx',
      'accept-encoding': 'gzip, br',
      ...basicCredentials(url),
      ...hop.headers,
    },
    body: hop.body ?? null,
    signal,
  });
  return sent.catch((error: unknown) => {
    throw proxyFailure(proxy, url.host, error) ?? error;
  });
}

async function readResponse(
  response: HopResponse,
  hop: Hop,
  options: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const headers = joined(response.headers);
  const bodiless = hop.method === 'HEAD' || response.statusCode === 204 || response.statusCode === 304;
  const body = await readBody(response.body, bodiless ? '' : (headers['content-encoding'] ?? ''), {
    host: bareHost(hop.destination.url.host),
    maxBytes: options.maxBytes ?? defaults.maxBytes,
    signal,
  });
  return { status: response.statusCode, headers, body, url: withoutUserinfo(hop.destination.url).href };
}

function locationOf(response: HopResponse): string | undefined {
  const { location } = response.headers;
  return [301, 302, 303, 307, 308].includes(response.statusCode) && typeof location === 'string'
    ? location
    : undefined;
}

function joined(headers: HopResponse['headers']): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]));
}

/** Returns the headers with names in lower case, so that a caller's header replaces the client's own. */
function headersOf(options: HttpRequest): Record<string, string> {
  const given = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...traceHeader(options), ...Object.fromEntries(given) };
}

/**
 * Returns the userinfo of a URL as Basic credentials (RFC 7617). Only an operator's URL can still contain any here.
 */
function basicCredentials(url: Destination['url']): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function withoutUserinfo(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

function timedOut(host: string, timeoutMs: number, options: Progress & { cause: unknown }): OutboundError {
  return new OutboundError(host, 'timeout', `${host} did not respond within ${timeoutMs} ms.`, options);
}

function outboundFailure(host: string, error: unknown, progress: Progress): Error {
  if (error instanceof OrgctxError) return error;
  if (errorCode(error) === 'UND_ERR_INVALID_ARG') {
    return new InvalidInput(`The request to ${host} cannot be sent: its method or a header is not valid.`, {
      cause: error,
    });
  }
  return classifyFailure(host, error, progress);
}
