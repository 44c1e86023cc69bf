import { type Admitted, admitUser } from '../features/identity/people/admit-user.ts';
import type { ExistingAccount } from '../features/identity/people/existing-account.ts';
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
    'a one-time sign-in link. Run again it changes only what the flags name; of an account that was there before it ' +
    'says so.',
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
      const { existing, user } = admitted;
      if (existing !== undefined && !context.terminal.json) {
        context.terminal.note(existingText(user.email, existing));
      }
      const link = password === undefined ? await signInLink(database, settings.config, user) : undefined;
      return created(admitted, link);
    });
  },
});

function created({ user, organization, role, existing }: Admitted, link: string | undefined): CommandResult {
  const { id, email } = user;
  return {
    json: {
      user: { id, email, role },
      organization,
      existing: existing !== undefined,
      ...(link === undefined ? {} : { link }),
    },
    text: [
      `${email} is ${role} of ${organization.name} (${organization.slug}).`,
      ...(link === undefined ? [] : [`One-time link to sign in with a browser (30 minutes): ${link}`]),
    ].join('\n'),
  };
}

/** An address proves nothing here: whoever had it invited may have made the account for somebody else's. */
function existingText(email: string, { since, hasPassword, otherOrganizations }: ExistingAccount): string {
  const day = new Date(since).toISOString().slice(0, 10);
  const others =
    otherOrganizations === 1 ? '1 other organization' : `${otherOrganizations} other organizations`;
  return (
    `${email} has had an account here since ${day}, ${hasPassword ? 'with' : 'without'} a password, ` +
    `a member of ${others}. If somebody else may hold it, run "orgctx admin link --email ${email}": a new password set ` +
    'with that link ends sessions, connected clients and, where its box is ticked, API keys.'
  );
}
