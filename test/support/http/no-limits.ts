import type { RateLimits } from '../../../src/surfaces/http/requests/rate-limits.ts';

const plenty = 1_000_000_000;

/** Rate limits that are never reached, for tests of other features that send many requests. */
export const noLimits: RateLimits = {
  address: plenty,
  authorizationServer: plenty,
  credential: plenty,
  user: plenty,
};
