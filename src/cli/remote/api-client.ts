import type { z } from 'zod';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { ExternalServiceError } from '../../foundation/kernel/errors.ts';
import { parseJson } from '../../foundation/kernel/wire/parse-json.ts';
import type { HttpClient, HttpResponse } from '../../foundation/net/http.ts';
import type { CommandContext } from '../frame/context.ts';
import { loginBearer } from '../login/login-bearer.ts';
import { type Bearer, keyBearer } from './bearer.ts';
import { loginHint } from './login-hint.ts';
import { openClient } from './open-client.ts';
import { problemError, type RefusalAdvice } from './problem-error.ts';
import {
  boundOrganization,
  type Remote,
  type RemoteFlagValues,
  type RemoteTarget,
  readRemoteTarget,
  warnOfOpenTransport,
} from './remote-target.ts';
import { isStopped, serverStopped } from './stopped-server.ts';

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path under `/:orgSlug/api/v1`, with encoded segments. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** A client of the REST interface of one organization. */
export interface ApiClient {
  readonly target: RemoteTarget;
  /** Sends one REST request and parses the response with `shape`. @throws the kernel's errors, OutboundError */
  call<Answer>(request: ApiRequest, shape: z.ZodType<Answer>): Promise<Answer>;
}

/** Time-out of a request, in milliseconds. Longer than the slowest response (search: 2 s, advisor: under 55 s). */
const timeoutMs = 70_000;
const maxBytes = 32 * 1024 * 1024;

/** Runs `work` with a client of the service that the flags and the environment name. */
export async function withApi<Result>(
  context: CommandContext,
  flags: RemoteFlagValues,
  work: (api: ApiClient) => Promise<Result>,
): Promise<Result> {
  const target = await readRemoteTarget(context, flags);
  return withService(target, context, (send) => work(apiClient(send, target)), target.org);
}

/** Sends one authenticated request. @throws the error of any response other than 2xx */
export type Send = (path: string, sent: Sent) => Promise<HttpResponse>;

export type Sent = Pick<ApiRequest, 'method' | 'body'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** Runs `work` with requests outside an organization; `org` is used for error messages only. */
export async function withService<Result>(
  remote: Remote,
  context: CommandContext,
  work: (send: Send) => Promise<Result>,
  org?: string,
): Promise<Result> {
  warnOfOpenTransport(remote.baseUrl, context);
  const http = openClient(context);
  try {
    return await work(
      sendWith(http, {
        baseUrl: remote.baseUrl,
        bearer: bearerOf(http, remote),
        signal: context.signal,
        advice: adviceFor(remote, org),
      }),
    );
  } catch (error) {
    throw isStopped(error, remote.baseUrl) ? serverStopped(error) : error;
  } finally {
    await http.close();
  }
}

export interface SendDeps {
  readonly baseUrl: string;
  readonly bearer: Bearer;
  readonly signal: AbortSignal;
  /** Advice for a caller whose request is refused. */
  readonly advice: RefusalAdvice;
}

export function sendWith(http: HttpClient, { baseUrl, bearer, signal, advice }: SendDeps): Send {
  return async (path, { method = 'GET', body, headers }) => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const attempt = (token: string): Promise<HttpResponse> =>
      http.request({
        url: `${baseUrl}${path}`,
        destination: 'operator',
        method,
        headers: { ...headersFor(token, body), ...headers },
        ...content,
        timeoutMs,
        maxBytes,
        signal,
      });
    const response = await withToken(bearer, attempt);
    if (response.status >= 200 && response.status <= 299) return response;
    throw problemError(response, baseUrl, advice);
  };
}

/**
 * Retries a request once with a new token after a 401, if there is one. A 401 has no effect, so the retry is safe.
 */
async function withToken(
  bearer: Bearer,
  attempt: (token: string) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const token = await bearer.current();
  const response = await attempt(token);
  if (response.status !== 401) return response;
  const other = await bearer.after(token);
  return other === undefined ? response : attempt(other);
}

function bearerOf(http: HttpClient, { baseUrl, credential }: Remote): Bearer {
  return credential.kind === 'api-key'
    ? keyBearer(credential.apiKey)
    : loginBearer({ http, baseUrl }, credential.store, systemClock);
}

function adviceFor({ baseUrl, credential }: Remote, org: string | undefined): RefusalAdvice {
  const bound = boundOrganization(credential);
  if (bound === undefined) return { unauthenticated: 'Check ORGCTX_API_KEY or ORGCTX_API_KEY_FILE.' };
  const elsewhere = org !== undefined && org !== bound;
  return {
    unauthenticated: `Sign in again: ${loginHint(baseUrl)}`,
    ...(elsewhere && {
      forbidden: `Your login is for ${bound}, not for ${org}. Sign in again and choose ${org} (${loginHint(baseUrl)}), or use an API key.`,
    }),
  };
}

function apiClient(send: Send, target: RemoteTarget): ApiClient {
  return {
    target,
    call: async ({ path, query = {}, ...sent }, shape) =>
      readAnswer(await send(`/${target.org}/api/v1${path}${inQuery(query)}`, sent), shape, target.baseUrl),
  };
}

function headersFor(token: string, body: unknown): Record<string, string> {
  return {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}

function inQuery(query: NonNullable<ApiRequest['query']>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value));
  }
  return given.size === 0 ? '' : `?${given.toString()}`;
}

/** Parses a response with `shape`. @throws ExternalServiceError if it does not match */
export function readAnswer<Answer>(
  response: HttpResponse,
  shape: z.ZodType<Answer>,
  baseUrl: string,
): Answer {
  const result = shape.safeParse(parseJson(response.body));
  if (result.success) return result.data;
  throw new ExternalServiceError(
    baseUrl,
    `${baseUrl} returned an unexpected response. Check that --url is the address of an orgctx service of this version.`,
    { retryable: false, cause: result.error },
  );
}
