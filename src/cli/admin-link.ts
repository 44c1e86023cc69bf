import { createSignInLinkAsHost } from '../features/identity/audit/act-as-host.ts';
import type { User } from '../features/identity/people/user.ts';
import { oneTimeLinkUrl } from '../features/identity/sign-in/one-time-link.ts';
import type { Config } from '../foundation/config/config.ts';
import type { Database } from '../foundation/db/database.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import { adminDatabase, personFlags, requireEnabledUser } from './admin-person.ts';
import { defineCommand } from './frame/command.ts';
import { withHostDatabase } from './with-host-database.ts';

export const adminLinkCommand = defineCommand({
  description:
    'Prints a one-time link that signs the user in with a browser, good for 30 minutes; a new password can be set ' +
    'there. Hand it over in private.',
  flags: personFlags,
  examples: ['orgctx admin link --email ada@example.com'],
  run: ({ flags }, context) =>
    withHostDatabase(context, flags, adminDatabase, async ({ database, settings }) => {
      const user = await requireEnabledUser(database.queries, flags.email);
      const link = await signInLink(database, settings.config, user);
      return { json: { link }, text: link };
    }),
});

/** Under the origin of the pages (SERVICE_PUBLIC_APP_URL). */
export async function signInLink(database: Database, config: Config, user: User): Promise<string> {
  const { token } = await createSignInLinkAsHost({ database, clock: systemClock }, user);
  return oneTimeLinkUrl(config.appUrl, token);
}
