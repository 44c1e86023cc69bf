import type { RateLimits } from '../../src/surfaces/http/rate-limits.ts';

const plenty = 1_000_000_000;

/** For tests that ask more often in a minute than anybody may, about something else. */
export const noLimits: RateLimits = {
  address: plenty,
  authorizationServer: plenty,
  credential: plenty,
  user: plenty,
};
