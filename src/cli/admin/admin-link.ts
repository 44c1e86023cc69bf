import { hostAddresses } from '../../app/host/running-server.ts';
import { createSignInLinkAsHost } from '../../features/identity/audit/act-as-host.ts';
import type { User } from '../../features/identity/people/user.ts';
import { oneTimeLinkUrl } from '../../features/identity/sign-in/one-time-link.ts';
import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import type { Database } from '../../foundation/db/database.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { defineCommand } from '../frame/command.ts';
import { withHostDatabase } from '../host/with-host-database.ts';
import { adminDatabase, personFlags, requireEnabledUser } from './admin-person.ts';

export const adminLinkCommand = defineCommand({
  description:
    'Prints a one-time link that signs the user in with a browser and lets them set a new password. It is valid for 30 ' +
    'minutes. Send it over a private channel.',
  flags: personFlags,
  examples: ['orgctx admin link --email ada@example.com'],
  run: ({ flags }, context) =>
    withHostDatabase(context, flags, adminDatabase, async ({ database, settings }) => {
      const user = await requireEnabledUser(database.queries, flags.email);
      const link = await signInLink(database, settings, user);
      if (!context.terminal.json) {
        context.terminal.note(
          `One-time link for ${user.email}, valid for 30 minutes; send it over a private channel:`,
        );
      }
      return { json: { link }, text: link };
    }),
});

/** Creates a sign-in link under the origin of the pages: SERVICE_PUBLIC_APP_URL, or that of the running server. */
export async function signInLink(database: Database, settings: LoadedConfig, user: User): Promise<string> {
  const { token } = await createSignInLinkAsHost({ database, clock: systemClock }, user);
  return oneTimeLinkUrl(hostAddresses(settings).appUrl, token);
}
