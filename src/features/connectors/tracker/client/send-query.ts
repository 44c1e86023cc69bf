import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { RateLimited, Unavailable } from '../../../../foundation/kernel/errors.ts';
import { withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { shorten, visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { parseJson } from '../../../../foundation/kernel/wire/parse-json.ts';
import type { HttpClient, HttpResponse } from '../../../../foundation/net/http.ts';
import type { Query } from './queries.ts';
import type { RateBudget } from './rate-budget.ts';
import { TrackerError } from './tracker-error.ts';

export interface ApiDeps {
  /** `TRACKER_API_URL`. */
  readonly apiUrl: string;
  readonly http: Pick<HttpClient, 'request'>;
  readonly budget: RateBudget;
  /**
   * Returns a valid access token. `refused` is a token that the provider did not accept: it must be replaced.
   */
  readonly accessToken: (refused?: string) => Promise<string>;
  /** Maximum time that a query waits for the provider's limits, in seconds. Default: 0, it fails at once. */
  readonly maxWaitSeconds?: number;
}

export interface QueryOptions {
  readonly signal: AbortSignal;
  /** Part of the provider's limits that this query must leave to others, from 0 to 1. Default: 0. */
  readonly reserve?: number | undefined;
}

/** Time limit of one query, and maximum size of its response. A page that is larger is asked for in parts. */
const timeoutMs = 30_000;
const maxBytes = 16 * 1024 * 1024;

const graphqlError = z.object({
  message: z.string().catch(''),
  path: z
    .array(z.union([z.string(), z.number()]))
    .optional()
    .catch(undefined),
  extensions: z
    .object({
      type: z.string().optional().catch(undefined),
      code: z.string().optional().catch(undefined),
      userPresentableMessage: z.string().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

export type GraphqlError = z.output<typeof graphqlError>;

const envelope = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(graphqlError).optional(),
});

/** Data, and the errors of the parts that are missing in it. */
export interface QueryAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors: readonly GraphqlError[];
}

/**
 * Sends a query. Waits for the provider's limits if they allow it soon, and asks once for another token if the
 * provider refuses the first one.
 * @throws TrackerError; RateLimited; Unavailable; the errors of the HTTP client
 */
export async function sendQuery(
  deps: ApiDeps,
  query: Query,
  variables: Readonly<Record<string, unknown>>,
  options: QueryOptions,
): Promise<QueryAnswer> {
  let waitSeconds = deps.maxWaitSeconds ?? 0;
  for (;;) {
    try {
      return await sendOnce(deps, query, variables, options);
    } catch (error) {
      if (!(error instanceof RateLimited) || error.retryAfter > waitSeconds) throw error;
      waitSeconds -= error.retryAfter;
      await sleep(error.retryAfter * 1_000, undefined, { signal: options.signal });
    }
  }
}

async function sendOnce(
  deps: ApiDeps,
  query: Query,
  variables: Readonly<Record<string, unknown>>,
  { signal, reserve = 0 }: QueryOptions,
): Promise<QueryAnswer> {
  deps.budget.admit(query.text, reserve);
  const token = await deps.accessToken();
  try {
    return await sendWith(deps, token, { query, variables }, signal);
  } catch (error) {
    if (!(error instanceof TrackerError) || error.reason !== 'authentication') throw error;
    return sendWith(deps, await deps.accessToken(token), { query, variables }, signal);
  }
}

async function sendWith(
  { apiUrl, http, budget }: ApiDeps,
  token: string,
  { query, variables }: { readonly query: Query; readonly variables: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<QueryAnswer> {
  const response = await http.request({
    url: apiUrl,
    destination: 'operator',
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: query.text, variables }),
    timeoutMs,
    maxBytes,
    signal,
  });
  budget.observe(query.text, response);
  const answer = envelope.safeParse(parseJson(response.body));
  const { data, errors = [] } = answer.data ?? {};
  if (errors.some(isRateLimit) || response.status === 429) throw budget.exceeded(response);
  if (response.status === 401) throw unauthenticated();
  if (response.status >= 500) throw unavailable(`HTTP ${response.status}`);
  const [first] = errors;
  // Errors of parts come with data; an error of the whole query comes without, whatever its status.
  if (data !== undefined && data !== null && response.status === 200) return { data, errors };
  if (first !== undefined) throw errorFor(first, variables['after'] !== undefined);
  throw unexpected(response);
}

/** Returns the exception for an error of GraphQL. The provider's code decides, then its type, then its words. */
export function errorFor({ message, extensions }: GraphqlError, hadCursor: boolean): Error {
  const { type = '', code = '', userPresentableMessage } = extensions ?? {};
  const words = withoutEnd(shorten(visibleLine(userPresentableMessage ?? message)), '.');
  if (code === 'AUTHENTICATION_ERROR' || type === 'authentication error') return unauthenticated();
  if (/^entity not found/i.test(message)) {
    return new TrackerError(
      'not_found',
      `The tracker has no such entity, or hides it from the account: ${words}.`,
    );
  }
  if (code === 'FORBIDDEN' || type === 'forbidden' || type === 'feature not accessible') {
    return new TrackerError(
      'forbidden',
      `The tracker does not let the authorized account read this: ${words}. Give the account access, or authorize another one.`,
    );
  }
  if (temporaryTypes.has(type)) return unavailable(words);
  // The same query was accepted for the page before.
  if (hadCursor && (code === 'INPUT_ERROR' || type === 'invalid input')) {
    return new TrackerError('cursor_refused', `The tracker does not accept a cursor any more: ${words}.`);
  }
  return new TrackerError(
    'invalid',
    `The tracker refused a query: ${words}. Report this, with your version.`,
  );
}

const temporaryTypes: ReadonlySet<string> = new Set([
  'network error',
  'internal error',
  'bootstrap error',
  'lock timeout',
  'unknown',
  'other',
]);

function isRateLimit({ message, extensions: { code, type } = {} }: GraphqlError): boolean {
  if (code === 'RATELIMITED' || type === 'ratelimited') return true;
  // Seen once without a code.
  return code === undefined && type === undefined && /rate ?limit/i.test(message);
}

function unauthenticated(): TrackerError {
  return new TrackerError(
    'authentication',
    'The tracker does not accept the authorization of this connection. Authorize it again.',
  );
}

function unavailable(reason: string): Unavailable {
  return new Unavailable(
    'tracker_unavailable',
    `The tracker is not available (${reason}). Try again later; jobs do so by themselves.`,
  );
}

function unexpected({ status }: HttpResponse): Error {
  if (status === 200) return unavailable('its answer cannot be read');
  return new TrackerError(
    'protocol',
    `The tracker did not answer like its API (HTTP ${status}). Check TRACKER_API_URL.`,
  );
}
