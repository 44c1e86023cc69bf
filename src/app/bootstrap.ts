import { hasUsers } from '../features/identity/people/user-store.ts';
import { createOneTimeLink, oneTimeLinkUrl } from '../features/identity/sign-in/one-time-link.ts';
import type { Config } from '../foundation/config/config.ts';
import type { Queries } from '../foundation/db/database.ts';
import { systemClock } from '../foundation/kernel/clock.ts';

/**
 * Creates a one-time link (30 minutes) for the first user; `undefined` if users exist. There is no default password.
 */
export async function bootstrapUrl(
  queries: Queries,
  config: Pick<Config, 'appUrl'>,
): Promise<string | undefined> {
  if (await hasUsers(queries)) return undefined;
  const link = await createOneTimeLink(queries, { purpose: 'bootstrap' }, systemClock);
  return oneTimeLinkUrl(config.appUrl, link.token);
}
