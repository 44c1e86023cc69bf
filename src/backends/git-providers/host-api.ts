import type { z } from 'zod';
import { InvalidInput, RateLimited, Unavailable } from '../../foundation/kernel/errors.ts';
import { withoutEnd } from '../../foundation/kernel/text/cut-text.ts';
import { shorten, visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { parseJson } from '../../foundation/kernel/wire/parse-json.ts';
import type { HttpMethod, HttpResponse } from '../../foundation/net/http.ts';
import { withoutKeys } from '../../foundation/telemetry/redaction.ts';
import { GitHostError, type GitHostReason, type GitProviderDeps } from './port.ts';

/** One call of a Git host's JSON API. */
export interface ApiCall {
  /** Default: GET. */
  readonly method?: HttpMethod;
  /** Below the API URL, with each part encoded by `apiPath`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** The permission that the call needs, as the host calls it; for the message if the host refuses it. */
  readonly needs: string;
  /** Name of the requested object, for messages: `the repository owner/name`. */
  readonly subject: string;
}

/** Credentials of one call. `secret` is the part that no message may contain. */
export interface ApiAuthorization {
  readonly scheme: 'Bearer' | 'token';
  readonly secret: string;
}

export interface HostApiOptions {
  readonly apiUrl: string;
  readonly accept: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Finds the missing permission in a refusal, if the host names it there. */
  readonly permissionIn: (said: string, headers: HttpResponse['headers']) => string | undefined;
  readonly deps: Pick<GitProviderDeps, 'http' | 'clock' | 'operatorOrigins'>;
}

/** Sends calls to one API and converts refusals. */
export interface HostApi {
  /** Returns the body of a 2xx response and whether the list has another page. @throws as GitHost */
  call<T extends z.ZodType>(
    call: ApiCall,
    answer: T,
    authorization: ApiAuthorization,
    signal: AbortSignal,
  ): Promise<ApiAnswer<z.output<T>>>;
  /** Sends a call whose response body does not matter. @throws as GitHost */
  send(call: ApiCall, authorization: ApiAuthorization, signal: AbortSignal): Promise<void>;
}

export interface ApiAnswer<T> {
  readonly body: T;
  readonly hasNextPage: boolean;
}

/** Time limit of one call, and maximum size of its response: a page of 100 repositories has about 700 KB. */
const timeoutMs = 20_000;
const maxBytes = 8 * 1024 * 1024;
/** The delay if a host limits requests without saying for how long. */
const defaultRetrySeconds = 60;
/** Maximum delay: a host that asks for years must not stop the work on its repositories for good. */
const maxRetrySeconds = 3_600;

export function openHostApi({ apiUrl, accept, headers, permissionIn, deps }: HostApiOptions): HostApi {
  const { host, origin } = new URL(apiUrl);
  const destination = deps.operatorOrigins.includes(origin) ? 'operator' : 'tenant';

  async function request(
    call: ApiCall,
    authorization: ApiAuthorization,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const method = call.method ?? 'GET';
    const response = await deps.http.request({
      url: `${apiUrl}${call.path}${queryOf(call)}`,
      destination,
      method,
      headers: {
        ...headers,
        accept,
        authorization: `${authorization.scheme} ${authorization.secret}`,
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      timeoutMs,
      maxBytes,
      // A host redirects reads of a renamed repository. A redirected write could reach another repository.
      followRedirects: method === 'GET',
      signal,
    });
    if (response.status >= 200 && response.status < 300) return response;
    throw refusal(call, { host, response, secret: authorization.secret, now: deps.clock(), permissionIn });
  }

  return {
    async call(call, answer, authorization, signal) {
      const response = await request(call, authorization, signal);
      const parsed = answer.safeParse(parseJson(response.body));
      if (!parsed.success) {
        const message = `${host} did not answer like this API for ${call.subject}. Check the URL of the Git-host connection.`;
        throw new GitHostError(host, 'protocol', message, { cause: parsed.error });
      }
      return { body: parsed.data, hasNextPage: /rel="?next"?/.test(response.headers['link'] ?? '') };
    },
    async send(call, authorization, signal) {
      await request(call, authorization, signal);
    },
  };
}

/**
 * Encodes the parts of a path. A part with slashes (a branch, a file) keeps them. A part like `..` is refused: it would
 * call another resource with the same credentials.
 * @throws InvalidInput
 */
export function apiPath(...parts: readonly (string | number)[]): string {
  const names = parts.flatMap((part) => String(part).split('/'));
  if (names.some((name) => /^\.{0,2}$/.test(name))) {
    throw new InvalidInput(
      'The name of a repository, branch or file has an empty part, or one that is "." or "..".',
    );
  }
  return names.map((name) => `/${encodeURIComponent(name)}`).join('');
}

/** Returns the result of `call`, or `undefined` if it fails for one of these reasons. */
export async function unless<T>(reasons: readonly GitHostReason[], call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof GitHostError && reasons.includes(error.reason)) return undefined;
    throw error;
  }
}

function queryOf({ query = {} }: ApiCall): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

interface Refused {
  readonly host: string;
  readonly response: HttpResponse;
  readonly secret: string;
  readonly now: number;
  readonly permissionIn: HostApiOptions['permissionIn'];
}

function refusal(call: ApiCall, refused: Refused): Error {
  const { host, response } = refused;
  const said = wordsOf(refused);
  if (isRateLimit(response, said)) return rateLimited(refused);
  const asked = `${call.method ?? 'GET'} of ${call.subject}`;
  switch (response.status) {
    case 401:
      return new GitHostError(
        host,
        'authentication',
        `${host} refused the credentials of the Git-host connection. They are wrong, expired or revoked: give it new ones.`,
        { hostTime: timeOf(response) },
      );
    case 403:
      return forbidden(call, refused, said);
    case 404:
    case 410:
      return new GitHostError(
        host,
        'not_found',
        `${host} does not have ${call.subject}, or hides it from the Git-host connection. Give the connection access to it.`,
      );
    case 409:
      return new GitHostError(host, 'conflict', `${host} refused ${asked}: ${said || 'it exists already'}.`);
    default:
      if (response.status >= 500) return unavailable(refused);
      if (response.status >= 400)
        return new GitHostError(host, 'invalid', `${host} refused ${asked}: ${said || response.status}.`);
      return new GitHostError(
        host,
        'protocol',
        `${host} redirected ${asked}. Check the URL of the Git-host connection.`,
      );
  }
}

/** Returns the time of a response (RFC 9110 section 6.6.1) in milliseconds; `undefined` if it has none. */
function timeOf({ headers }: HttpResponse): number | undefined {
  const time = Date.parse(headers['date'] ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** Returns a permission error that names what is missing: the host's own words if it gave any. */
function forbidden(call: ApiCall, { host, response, permissionIn }: Refused, said: string): GitHostError {
  if (/suspended/i.test(said)) {
    const message = `${host} has suspended this installation of the App. Unsuspend it in the settings of its account.`;
    return new GitHostError(host, 'authentication', message);
  }
  const needed = shorten(visibleLine(permissionIn(said, response.headers) ?? call.needs));
  const message = `The Git-host connection lacks the permission ${needed} at ${host}. Grant it there; it applies to ${call.subject}.`;
  return new GitHostError(host, 'forbidden', message);
}

/** Some hosts limit with 403 too, and tell by a header or in words. */
function isRateLimit({ status, headers }: HttpResponse, said: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    /rate limit/i.test(said)
  );
}

function rateLimited({ host, response, now }: Refused): RateLimited {
  const retryAfter = retrySeconds(response, now) ?? defaultRetrySeconds;
  return new RateLimited(
    `${host} limits the requests of the Git-host connection. Try again in ${retryAfter} seconds; jobs do so by themselves.`,
    { retryAfter },
  );
}

function unavailable({ host, response, now }: Refused): Unavailable {
  const retryAfter = retrySeconds(response, now);
  return new Unavailable(
    'githost_unavailable',
    `${host} is not available (HTTP ${response.status}). Try again later; jobs do so by themselves.`,
    retryAfter === undefined ? {} : { retryAfter },
  );
}

/** Returns the delay that the host asks for, but at most an hour. */
function retrySeconds(response: HttpResponse, now: number): number | undefined {
  const asked = askedSeconds(response, now);
  return asked === undefined ? undefined : Math.min(asked, maxRetrySeconds);
}

/** Reads Retry-After (seconds or a date), else the time at which the budget is full again. */
function askedSeconds({ headers }: HttpResponse, now: number): number | undefined {
  const given = headers['retry-after'];
  if (given !== undefined && /^\d{1,9}$/.test(given)) return Number(given);
  const date = given === undefined ? Number.NaN : Date.parse(given);
  const reset =
    headers['x-ratelimit-remaining'] === '0' ? Number(headers['x-ratelimit-reset']) * 1_000 : Number.NaN;
  const at = Number.isNaN(date) ? reset : date;
  return Number.isFinite(at) ? Math.max(1, Math.ceil((at - now) / 1_000)) : undefined;
}

/** Maximum number of characters of a refusal that are read; far fewer are kept. */
const maxRead = 16_000;

/** Returns what the host says about a refusal: one short line without secrets. */
function wordsOf({ response, secret }: Refused): string {
  const body = parseJson(response.body);
  if (typeof body !== 'object' || body === null) return '';
  const { message, errors } = body as { message?: unknown; errors?: unknown };
  const details = (Array.isArray(errors) ? errors : []).map((one: unknown) =>
    typeof one === 'object' && one !== null ? (one as { message?: unknown }).message : one,
  );
  const words = [message, ...details].filter((one) => typeof one === 'string' && one !== '').join(': ');
  return shorten(withoutEnd(withoutKeys(visibleLine(words.slice(0, maxRead)), secret), '.'));
}
