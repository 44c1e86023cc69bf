import { type Admitted, admitUser } from '../features/identity/admit-user.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import { signInLink } from './admin-link.ts';
import { readSecretFromStdin } from './admin-password.ts';
import { adminDatabase, personFlags } from './admin-person.ts';
import { type CommandResult, defineCommand } from './frame/command.ts';
import { choice, requiredText, text, toggle } from './frame/parameters.ts';
import { withHostDatabase } from './with-host-database.ts';

export const adminCreateCommand = defineCommand({
  description:
    'Creates the user, the organization and the membership, each where it is missing. Without a password it prints ' +
    'a one-time sign-in link. Run again it changes only what the flags name.',
  flags: {
    ...personFlags,
    org: requiredText('slug', "the organization's name in URLs: lower-case letters, digits and hyphens"),
    orgName: text('name', 'name for people of an organization that is created now; default the slug'),
    role: choice(['owner', 'admin', 'member'], 'role in the organization; owner for a new member'),
    passwordStdin: toggle('read a password from stdin instead of printing a link'),
  },
  examples: [
    'orgctx admin create --email ada@example.com --org acme',
    'orgctx admin create --email bob@example.com --org acme --role member --password-stdin < password.txt',
  ],
  run: async ({ flags }, context) => {
    const password = flags.passwordStdin ? await readSecretFromStdin(context.terminal) : undefined;
    return withHostDatabase(context, flags, adminDatabase, async ({ database, settings }) => {
      const { email, org, orgName, role } = flags;
      const admitted = await admitUser(
        { database, clock: systemClock },
        { email, orgSlug: org, orgName, role, password },
      );
      const link =
        password === undefined ? await signInLink(database, settings.config, admitted.user) : undefined;
      return created(admitted, link);
    });
  },
});

function created({ user, organization, role }: Admitted, link: string | undefined): CommandResult {
  const { id, email } = user;
  return {
    json: { user: { id, email, role }, organization, ...(link === undefined ? {} : { link }) },
    text: [
      `${email} is ${role} of ${organization.name} (${organization.slug}).`,
      ...(link === undefined ? [] : [`One-time link to sign in with a browser (30 minutes): ${link}`]),
    ].join('\n'),
  };
}
