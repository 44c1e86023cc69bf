import type { Clock } from '../../../../foundation/kernel/clock.ts';
import { RateLimited } from '../../../../foundation/kernel/errors.ts';
import type { HttpResponse } from '../../../../foundation/net/http.ts';
import { ProviderLimited } from '../../sync/provider-error.ts';

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
        throw new RateLimited(...limited(perMs > 0 ? missing / perMs : bucket.fullAt - now));
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
        buckets.set(bucketOf(name, query), {
          limit,
          remaining,
          at: now,
          fullAt: Math.max(now, timeOf(reset)),
        });
      }
    },

    /** Returns the error for a query that the provider refused because of a limit. */
    exceeded({ headers }: HttpResponse): ProviderLimited {
      const seconds = numberIn(headers['retry-after']);
      if (seconds !== undefined) return new ProviderLimited(...limited(seconds * 1_000));
      const now = clock();
      const resets = limitNames.flatMap((name) => {
        const reset = numberIn(headers[`x-ratelimit-${name}-reset`]);
        return headers[`x-ratelimit-${name}-remaining`] === '0' && reset !== undefined
          ? [timeOf(reset) - now]
          : [];
      });
      return new ProviderLimited(...limited(resets.length === 0 ? defaultDelayMs : Math.max(...resets)));
    },
  };
}

/** Returns the message and the delay of an error. */
function limited(delayMs: number): [string, { retryAfter: number }] {
  const retryAfter = Math.max(1, Math.ceil(Math.min(delayMs, maxDelayMs) / 1_000));
  const message = `The tracker limits the requests of this connection. Try again in ${retryAfter} seconds; jobs do so by themselves.`;
  return [message, { retryAfter }];
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}

function timeOf(reset: number): number {
  return reset < firstMillisecondTime ? reset * 1_000 : reset;
}
