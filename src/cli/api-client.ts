import type { z } from 'zod';
import { systemClock } from '../foundation/kernel/clock.ts';
import { ExternalServiceError } from '../foundation/kernel/errors.ts';
import type { HttpClient, HttpResponse } from '../foundation/net/http.ts';
import { createHttpClient } from '../foundation/net/http-client.ts';
import { type Bearer, keyBearer } from './bearer.ts';
import type { CommandContext } from './frame/context.ts';
import { loginBearer } from './login/login-bearer.ts';
import { loginHint } from './login-hint.ts';
import { parseJson } from './parse-json.ts';
import { problemError, type RefusalAdvice } from './problem-error.ts';
import {
  boundOrganization,
  type Remote,
  type RemoteFlagValues,
  type RemoteTarget,
  readRemoteTarget,
  warnOfOpenTransport,
} from './remote-target.ts';

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Under `/:orgSlug/api/v1`, its parts encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** The service as a member of one organization sees it. */
export interface ApiClient {
  readonly target: RemoteTarget;
  /** One REST call; the answer is what `shape` reads of it. @throws the kernel's errors, OutboundError */
  call<Answer>(request: ApiRequest, shape: z.ZodType<Answer>): Promise<Answer>;
  /** One POST of JSON anywhere on the service, answered as it came unless it is a problem. */
  post(path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<HttpResponse>;
}

/** Longer than the slowest answer of the service (a search has 2 s, the advisor under 55). */
const timeoutMs = 70_000;
const maxBytes = 32 * 1024 * 1024;

/** Opens the service that flags and environment name, for as long as `work` takes. */
export async function withApi<Result>(
  context: CommandContext,
  flags: RemoteFlagValues,
  work: (api: ApiClient) => Promise<Result>,
): Promise<Result> {
  const target = await readRemoteTarget(context, flags);
  return withService(target, context, (send) => work(apiClient(send, target)), target.org);
}

/** Sends one request as the caller; any answer but 2xx is thrown. */
export type Send = (path: string, sent: Sent) => Promise<HttpResponse>;

export type Sent = Pick<ApiRequest, 'method' | 'body'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** The same for what belongs to no organization; `org` only explains a refusal. */
export async function withService<Result>(
  remote: Remote,
  context: CommandContext,
  work: (send: Send) => Promise<Result>,
  org?: string,
): Promise<Result> {
  warnOfOpenTransport(remote.baseUrl, context);
  const http = createHttpClient({ allowHosts: [] });
  try {
    return await work(
      sendWith(http, {
        baseUrl: remote.baseUrl,
        bearer: bearerOf(http, remote),
        signal: context.signal,
        advice: adviceFor(remote, org),
      }),
    );
  } finally {
    await http.close();
  }
}

export interface SendDeps {
  readonly baseUrl: string;
  readonly bearer: Bearer;
  readonly signal: AbortSignal;
  /** What a refused caller can do. */
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

/** A refused token is changed once, where it can be; a 401 did nothing, so the request may be sent again. */
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
  if (bound === undefined) return { unauthenticated: 'Check ORGCTX_API_KEY.' };
  const elsewhere = org !== undefined && org !== bound;
  return {
    unauthenticated: `Sign in again: ${loginHint(baseUrl)}`,
    ...(elsewhere && {
      forbidden: `Your login is for ${bound}, not for ${org}. Sign in again and choose that one (${loginHint(baseUrl)}), or use an API key.`,
    }),
  };
}

function apiClient(send: Send, target: RemoteTarget): ApiClient {
  return {
    target,
    call: async ({ path, query = {}, ...sent }, shape) =>
      readAnswer(await send(`/${target.org}/api/v1${path}${inQuery(query)}`, sent), shape, target.baseUrl),
    post: (path, body, headers) => send(path, { method: 'POST', body, headers }),
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

/** What `shape` reads of an answer. @throws ExternalServiceError when it is another service's */
export function readAnswer<Answer>(
  response: HttpResponse,
  shape: z.ZodType<Answer>,
  baseUrl: string,
): Answer {
  const result = shape.safeParse(parseJson(response.body));
  if (result.success) return result.data;
  throw new ExternalServiceError(
    baseUrl,
    `${baseUrl} did not answer as orgctx does. Is --url the address of the service, and of this version?`,
    { retryable: false, cause: result.error },
  );
}
