import { RateLimited } from '../../../foundation/kernel/errors.ts';

/**
 * The provider refused a request because of a limit. All jobs of the connection wait for `retryAfter` seconds. Other
 * `RateLimited` errors concern one job, such as one that leaves a part of the limits to more urgent ones.
 */
export class ProviderLimited extends RateLimited {}
