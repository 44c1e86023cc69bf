import { z } from 'zod';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import { withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { shorten, visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { parseJson } from '../../../../foundation/kernel/wire/parse-json.ts';
import type { HttpClient, HttpMethod, HttpRequest, HttpResponse } from '../../../../foundation/net/http.ts';
import { OutboundError } from '../../../../foundation/net/outbound-error.ts';
import {
  type AccessToken,
  ProviderError,
  ProviderLimited,
  type ProviderReason,
  withToken,
} from '../../sync/provider-error.ts';

export interface ApiDeps {
  /** The address of the API of the account's region. */
  readonly apiUrl: string;
  readonly http: Pick<HttpClient, 'request'>;
  readonly accessToken: AccessToken;
  readonly signal: AbortSignal;
}

export interface ApiRequest {
  readonly method?: HttpMethod;
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[];
  readonly body?: object;
}

/** Time limit of one request, and maximum size of its response. */
const timeoutMs = 30_000;
const maxBytes = 16 * 1024 * 1024;

/** Delay if the provider limits requests without saying for how long; its limits count per minute. */
const defaultDelaySeconds = 30;
const maxDelaySeconds = 600;

const failure = z.object({
  error: z.object({
    message: z.string().catch(''),
    errors: z.array(z.string()).optional().catch(undefined),
  }),
});

/**
 * Sends a request and returns the parsed body of its answer; `undefined` for an answer without a body.
 * @throws ProviderError; ProviderLimited; Unavailable; the errors of the HTTP client
 */
export function sendRequest(deps: ApiDeps, request: ApiRequest): Promise<unknown> {
  return withToken(deps.accessToken, (token) => sendWith(deps, token, request));
}

async function sendWith(
  { apiUrl, http, signal }: ApiDeps,
  token: string,
  { method = 'GET', path, query = [], body }: ApiRequest,
): Promise<unknown> {
  const url = new URL(`${apiUrl}${path}`);
  for (const [name, value] of query) url.searchParams.append(name, value);
  const response = await requestWithin(http, {
    url: url.href,
    destination: 'operator',
    method,
    headers: {
      accept: 'application/vnd.pagerduty+json;version=2',
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
  });
  if (response.status === 204) return undefined;
  const content = parseJson(response.body);
  if (response.status >= 200 && response.status < 300) {
    if (content === undefined && response.body.length > 0) throw unavailable('its answer cannot be read');
    return content;
  }
  throw errorOf(response, content);
}

async function requestWithin(http: ApiDeps['http'], request: HttpRequest): Promise<HttpResponse> {
  try {
    return await http.request({ ...request, timeoutMs, maxBytes });
  } catch (error) {
    if (!(error instanceof OutboundError) || error.reason !== 'too_large') throw error;
    throw failed('too_large', 'An answer of the oncall provider is larger than 16 MiB.', error);
  }
}

function errorOf({ status, headers }: HttpResponse, content: unknown): Error {
  const { message = '', errors = [] } = failure.safeParse(content).data?.error ?? {};
  const words = withoutEnd(shorten(visibleLine([message, ...errors].filter(Boolean).join(': '))), '.');
  const reason = words === '' ? `HTTP ${status}` : words;
  if (status === 429) return limited(headers['ratelimit-reset'] ?? headers['retry-after']);
  if (status >= 500 || status === 408) return unavailable(reason);
  if (status === 401) {
    return failed(
      'authentication',
      'The oncall provider does not accept the authorization of this connection. Authorize it again.',
    );
  }
  if (status === 402 || status === 403) {
    return failed(
      'forbidden',
      `The oncall provider does not permit this to the authorized user (${reason}). Give the app the scope or the user the role, or authorize another user.`,
    );
  }
  if (status === 404) return failed('not_found', `The oncall provider has no such entity (${reason}).`);
  if (status === 400)
    return failed(
      'invalid',
      `The oncall provider refused a request: ${reason}. Report this, with your version.`,
    );
  return failed(
    'protocol',
    `The oncall provider did not answer like its API (HTTP ${status}). Check ONCALL_API_URL_US and ONCALL_API_URL_EU.`,
  );
}

/** Returns the error for something that a retry does not resolve. */
export function failed(reason: ProviderReason, message: string, cause?: unknown): ProviderError {
  return new ProviderError('oncall', reason, message, { code: 'oncall_failed', cause });
}

function limited(reset: string | undefined): ProviderLimited {
  const seconds = reset !== undefined && /^\d{1,6}$/.test(reset) ? Number(reset) : defaultDelaySeconds;
  const retryAfter = Math.min(Math.max(1, seconds), maxDelaySeconds);
  return new ProviderLimited(
    `The oncall provider limits the requests of this connection. Try again in ${retryAfter} seconds; jobs do so by themselves.`,
    { retryAfter },
  );
}

function unavailable(reason: string): Unavailable {
  return new Unavailable(
    'oncall_unavailable',
    `The oncall provider is not available (${reason}). Try again later; jobs do so by themselves.`,
  );
}
