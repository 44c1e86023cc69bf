/** The provider's two limits, per hour and account. They refill at a constant rate. */
export interface RateLimits {
  requests: number;
  complexity: number;
  /** Requests per hour of single fields of the query, such as `customers`, below those of the account. */
  readonly endpoints: Map<string, number>;
  /** Status of a refused request; real ones have been seen with each. */
  refusalStatus: 200 | 400 | 429;
  /** Leaves the code out of a refusal. */
  withoutCode: boolean;
  /** Leaves out Retry-After. */
  withoutRetryAfter: boolean;
  /** False keeps what is used, for tests that count requests while real time passes. */
  refills: boolean;
}

export interface Admission {
  readonly headers: Readonly<Record<string, string>>;
  readonly admitted: boolean;
}

const hourMs = 3_600_000;

export function createBuckets(limits: RateLimits, now: () => number) {
  const used = { requests: 0, complexity: 0 };
  const usedOf = new Map<string, number>();
  let at = now();

  return {
    /** Takes a query of a field out of all buckets; out of none if one has too little. */
    take(complexity: number, endpoint: string): Admission {
      const time = now();
      for (const name of ['requests', 'complexity'] as const) {
        const refilled = limits.refills ? (limits[name] * (time - at)) / hourMs : 0;
        used[name] = Math.max(0, used[name] - refilled);
      }
      at = time;
      const ofEndpoint = limits.endpoints.get(endpoint);
      const usedThere = usedOf.get(endpoint) ?? 0;
      const isLeftThere = ofEndpoint === undefined || usedThere < ofEndpoint;
      const admitted =
        used.requests + 1 <= limits.requests &&
        used.complexity + complexity <= limits.complexity &&
        isLeftThere;
      if (admitted) {
        usedOf.set(endpoint, usedThere + 1);
        used.requests += 1;
        used.complexity += complexity;
      }
      const headers: Record<string, string> = { 'x-complexity': String(Math.round(complexity)) };
      for (const name of ['requests', 'complexity'] as const) {
        headers[`x-ratelimit-${name}-limit`] = String(limits[name]);
        headers[`x-ratelimit-${name}-remaining`] = String(Math.floor(limits[name] - used[name]));
        headers[`x-ratelimit-${name}-reset`] = String(Math.ceil(time + (used[name] / limits[name]) * hourMs));
      }
      if (ofEndpoint !== undefined) {
        headers['x-ratelimit-endpoint-name'] = endpoint;
        headers['x-ratelimit-endpoint-requests-limit'] = String(ofEndpoint);
        headers['x-ratelimit-endpoint-requests-remaining'] = String(ofEndpoint - (usedOf.get(endpoint) ?? 0));
        headers['x-ratelimit-endpoint-requests-reset'] = String(time + hourMs);
      }
      if (!admitted && isLeftThere && !limits.withoutRetryAfter) {
        const missing = {
          requests: (used.requests + 1 - limits.requests) / limits.requests,
          complexity: (used.complexity + complexity - limits.complexity) / limits.complexity,
        };
        const ms = Math.max(missing.requests, missing.complexity) * hourMs;
        headers['retry-after'] = String(Math.max(1, Math.ceil(ms / 1_000)));
      }
      return { headers, admitted };
    },
  };
}
