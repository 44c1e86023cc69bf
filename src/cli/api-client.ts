import type { z } from 'zod';
import { ExternalServiceError } from '../foundation/kernel/errors.ts';
import type { HttpClient, HttpResponse } from '../foundation/net/http.ts';
import { createHttpClient } from '../foundation/net/http-client.ts';
import type { CommandContext } from './frame/context.ts';
import { parseJson } from './parse-json.ts';
import { problemError } from './problem-error.ts';
import {
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
  const target = readRemoteTarget(context, flags);
  warnOfOpenTransport(target, context);
  const http = createHttpClient({ allowHosts: [] });
  try {
    return await work(apiClient(http, target, context.signal));
  } finally {
    await http.close();
  }
}

function apiClient(http: HttpClient, target: RemoteTarget, signal: AbortSignal): ApiClient {
  const send = async (path: string, { method = 'GET', body, headers }: Sent): Promise<HttpResponse> => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await http.request({
      url: `${target.baseUrl}${path}`,
      destination: 'operator',
      method,
      headers: { ...headersFor(target, body), ...headers },
      ...content,
      timeoutMs,
      maxBytes,
      signal,
    });
    if (response.status >= 200 && response.status <= 299) return response;
    throw problemError(response, target.baseUrl);
  };
  return {
    target,
    call: async ({ path, query = {}, ...sent }, shape) =>
      readAnswer(await send(`/${target.org}/api/v1${path}${inQuery(query)}`, sent), shape, target.baseUrl),
    post: (path, body, headers) => send(path, { method: 'POST', body, headers }),
  };
}

type Sent = Pick<ApiRequest, 'method' | 'body'> & { readonly headers?: Readonly<Record<string, string>> };

function headersFor({ apiKey }: RemoteTarget, body: unknown): Record<string, string> {
  return {
    accept: 'application/json',
    authorization: `Bearer ${apiKey}`,
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

function readAnswer<Answer>(response: HttpResponse, shape: z.ZodType<Answer>, baseUrl: string): Answer {
  const result = shape.safeParse(parseJson(response.body));
  if (result.success) return result.data;
  throw new ExternalServiceError(
    baseUrl,
    `${baseUrl} did not answer as orgctx does. Is --url the address of the service, and of this version?`,
    { retryable: false, cause: result.error },
  );
}
