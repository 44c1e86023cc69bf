import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from '../../../../foundation/kernel/clock.ts';
import { RateLimited } from '../../../../foundation/kernel/errors.ts';
import { withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { shorten, visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { parseJson } from '../../../../foundation/kernel/wire/parse-json.ts';
import type { HttpResponse } from '../../../../foundation/net/http.ts';
import { askProvider, type ProviderApi } from '../../sync/ask-provider.ts';
import { ProviderLimited, providerErrors } from '../../sync/provider-error.ts';
import type { Query } from './queries.ts';

const errorsOf = providerErrors('tracker', 'The tracker');
const { unauthenticated, limited } = errorsOf;
export const { failed, unavailable } = errorsOf;

/** The latest values of the provider's headers for one of its limits. */
interface Bucket {
  readonly limit: number;
  readonly remaining: number;
  /** Time at which that was said, and at which the bucket is full again, in milliseconds. */
  readonly at: number;
  readonly fullAt: number;
}

/**
 * The limits of the provider, by the names in its headers. Those of requests and complexity are of the account;
 * `endpoint-requests` is of one query, and only sent for queries that have it.
 */
const limitNames = ['requests', 'complexity', 'endpoint-requests'] as const;

/** Returns the key of the bucket of a limit. */
function bucketOf(name: (typeof limitNames)[number], query: string): string {
  return name === 'endpoint-requests' ? `${name} ${query}` : name;
}

/** Delay if the provider limits requests without saying for how long. */
const defaultDelayMs = 60_000;
/** The provider's limits count per hour. */
const maxDelayMs = 3_600_000;
/** UNIX times below this are seconds. */
const firstMillisecondTime = 100_000_000_000;

/** The known limits of one account in this process. The provider's headers alone determine them. */
export type RateBudget = ReturnType<typeof createRateBudget>;

export function createRateBudget(clock: Clock) {
  const buckets = new Map<string, Bucket>();
  const costs = new Map<string, number>();

  /** The buckets refill at a constant rate. */
  function available({ limit, remaining, at, fullAt }: Bucket, now: number): number {
    if (now >= fullAt) return limit;
    return remaining + ((limit - remaining) * (now - at)) / (fullAt - at);
  }

  return {
    /**
     * Throws before a query that the provider would refuse, or that would use the part of the budget which `reserve`
     * holds back for more urgent queries. @throws RateLimited with the time to wait
     */
    admit(query: string, reserve: number): void {
      const now = clock();
      for (const name of limitNames) {
        const bucket = buckets.get(bucketOf(name, query));
        if (bucket === undefined) continue;
        const cost = name === 'complexity' ? (costs.get(query) ?? 0) : 1;
        const wanted = Math.min(bucket.limit, cost + bucket.limit * reserve);
        const missing = wanted - available(bucket, now);
        if (missing <= 0) continue;
        const perMs = (bucket.limit - bucket.remaining) / Math.max(1, bucket.fullAt - bucket.at);
        throw new RateLimited(...delayed(perMs > 0 ? missing / perMs : bucket.fullAt - now));
      }
    },

    /** Reads the headers of a response to `query`. */
    observe(query: string, { headers }: HttpResponse): void {
      const now = clock();
      const cost = numberIn(headers['x-complexity']);
      if (cost !== undefined) costs.set(query, cost);
      for (const name of limitNames) {
        const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((field) =>
          numberIn(headers[`x-ratelimit-${name}-${field}`]),
        );
        if (limit === undefined || remaining === undefined || reset === undefined) continue;
        const fullAt = Math.max(now, timeOf(reset));
        buckets.set(bucketOf(name, query), { limit, remaining, at: now, fullAt });
      }
    },

    /** Returns the error for a query that the provider refused because of a limit. */
    exceeded({ headers }: HttpResponse): ProviderLimited {
      const seconds = numberIn(headers['retry-after']);
      if (seconds !== undefined) return new ProviderLimited(...delayed(seconds * 1_000));
      const resets = limitNames.flatMap((name) => {
        const reset = numberIn(headers[`x-ratelimit-${name}-reset`]);
        const isUsedUp = headers[`x-ratelimit-${name}-remaining`] === '0';
        return isUsedUp && reset !== undefined ? timeOf(reset) - clock() : [];
      });
      return new ProviderLimited(...delayed(resets.length === 0 ? defaultDelayMs : Math.max(...resets)));
    },
  };
}

/** Returns the arguments of an error about limits. */
function delayed(delayMs: number): [string, { retryAfter: number }] {
  return limited(Math.max(1, Math.ceil(Math.min(delayMs, maxDelayMs) / 1_000)));
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}

function timeOf(reset: number): number {
  return reset < firstMillisecondTime ? reset * 1_000 : reset;
}

export interface ApiDeps extends ProviderApi {
  readonly budget: RateBudget;
  /** Part of the provider's limits that the queries must leave to others, from 0 to 1. Default: 0. */
  readonly reserve?: number;
  /** Maximum time that a query waits for the provider's limits, in seconds. Default: 0, it fails at once. */
  readonly maxWaitSeconds?: number;
}

export type Variables = Readonly<Record<string, unknown>>;

const optional = <T extends z.ZodType>(shape: T) => shape.optional().catch(undefined);
const word = optional(z.string());

const graphqlError = z.object({
  message: z.string().catch(''),
  path: optional(z.array(z.union([z.string(), z.number()]))),
  extensions: optional(z.object({ type: word, code: word, userPresentableMessage: word })),
});

export type GraphqlError = z.output<typeof graphqlError>;

const envelope = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(graphqlError).optional(),
});

/** Data, and the errors of the parts that are missing in it. */
interface QueryAnswer {
  readonly data: Variables;
  readonly errors: readonly GraphqlError[];
}

/**
 * Sends a query. Waits for the provider's limits if they allow it soon.
 * @throws ProviderError; RateLimited; Unavailable; the errors of the HTTP client
 */
export async function sendQuery(deps: ApiDeps, query: Query, variables: Variables): Promise<QueryAnswer> {
  const body = { query: query.text, variables };
  const request = { url: deps.apiUrl, method: 'POST', accept: 'application/json', body } as const;
  let waitSeconds = deps.maxWaitSeconds ?? 0;
  for (;;) {
    try {
      deps.budget.admit(query.text, deps.reserve ?? 0);
      return await askProvider(deps, request, (response) => readAnswer(deps, response, body));
    } catch (error) {
      if (!(error instanceof RateLimited) || error.retryAfter > waitSeconds) throw error;
      waitSeconds -= error.retryAfter;
      await sleep(error.retryAfter * 1_000, undefined, { signal: deps.signal });
    }
  }
}

function readAnswer(
  { budget }: ApiDeps,
  response: HttpResponse,
  { query, variables }: { readonly query: string; readonly variables: Variables },
): QueryAnswer {
  budget.observe(query, response);
  const answer = envelope.safeParse(parseJson(response.body));
  const { data, errors = [] } = answer.data ?? {};
  if (errors.some(isRateLimit) || response.status === 429) throw budget.exceeded(response);
  if (response.status === 401) throw unauthenticated();
  if (response.status >= 500) throw unavailable(`HTTP ${response.status}`);
  const [first] = errors;
  // Errors of parts come with data; an error of the whole query comes without, whatever its status.
  if (data !== undefined && data !== null && response.status === 200) return { data, errors };
  if (first !== undefined) throw errorFor(first, variables['after'] !== undefined);
  if (response.status === 200) throw unavailable('its answer cannot be read');
  const message = `The tracker did not answer like its API (HTTP ${response.status}). Check TRACKER_API_URL.`;
  throw failed('protocol', message);
}

/** Returns the exception for an error of GraphQL. The provider's code decides, then its type, then its words. */
export function errorFor({ message, extensions }: GraphqlError, hadCursor: boolean): Error {
  const { type = '', code = '', userPresentableMessage } = extensions ?? {};
  const words = withoutEnd(shorten(visibleLine(userPresentableMessage ?? message)), '.');
  if (code === 'AUTHENTICATION_ERROR' || type === 'authentication error') return unauthenticated();
  if (/^entity not found/i.test(message))
    return failed('not_found', `The tracker has no such entity, or hides it from the account: ${words}.`);
  if (code === 'FORBIDDEN' || type === 'forbidden' || type === 'feature not accessible') {
    return failed(
      'forbidden',
      `The tracker does not let the authorized account read this: ${words}. Give the account access, or authorize another one.`,
    );
  }
  if (temporaryTypes.has(type)) return unavailable(words);
  // The same query was accepted for the page before.
  if (hadCursor && (code === 'INPUT_ERROR' || type === 'invalid input'))
    return failed('cursor_refused', `The tracker does not accept a cursor any more: ${words}.`);
  return failed('invalid', `The tracker refused a query: ${words}. Report this, with your version.`);
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
