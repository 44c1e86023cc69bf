import { roles } from '../../features/identity/access/principal.ts';
import { type Admitted, admitUser } from '../../features/identity/people/admit-user.ts';
import type { ExistingAccount } from '../../features/identity/people/existing-account.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { counted } from '../../foundation/kernel/text/counted.ts';
import { type CommandResult, defineCommand } from '../frame/command.ts';
import { choice, requiredText, text, toggle } from '../frame/parameters.ts';
import { readPipedSecret } from '../frame/read-secret.ts';
import { withHostDatabase } from '../host/with-host-database.ts';
import { signInLink } from './admin-link.ts';
import { adminDatabase, personFlags } from './admin-person.ts';

const passwordInput = {
  name: 'The password',
  maxBytes: 4_096,
  hint: 'Pipe it: "orgctx admin create --email <email> --org <slug> --password-stdin < password.txt".',
};

export const adminCreateCommand = defineCommand({
  description:
    'Creates the user, the organization and the membership, unless they exist. Without a password it prints a one-time ' +
    'sign-in link. Running it again changes only what the flags name. It prints a note if the account existed before.',
  flags: {
    ...personFlags,
    org: requiredText('slug', "the organization's name in URLs: lower-case letters, digits and hyphens"),
    orgName: text('name', 'display name of a new organization; default: the slug'),
    role: choice(roles, 'role in the organization; default for a new member: owner'),
    passwordStdin: toggle('read a password from stdin instead of printing a link'),
  },
  examples: [
    'orgctx admin create --email ada@example.com --org acme',
    'orgctx admin create --email bob@example.com --org acme --role member --password-stdin < password.txt',
  ],
  run: async ({ flags }, context) => {
    const password = flags.passwordStdin ? await readPipedSecret(context.terminal, passwordInput) : undefined;
    return withHostDatabase(
      context,
      flags,
      { ...adminDatabase, create: true },
      async ({ database, settings }) => {
        const { email, org, orgName, role } = flags;
        const admitted = await admitUser(
          { database, clock: systemClock },
          { email, orgSlug: org, orgName, role, password },
        );
        const { existing, user } = admitted;
        if (existing !== undefined && !context.terminal.json) {
          context.terminal.note(existingText(user.email, existing));
        }
        const link = password === undefined ? await signInLink(database, settings, user) : undefined;
        return created(admitted, link);
      },
    );
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

/**
 * Warns that somebody else may control an existing account: an address is not verified when its account is created.
 */
function existingText(email: string, { since, hasPassword, otherOrganizations }: ExistingAccount): string {
  const day = new Date(since).toISOString().slice(0, 10);
  const others = counted(otherOrganizations, 'other organization');
  return (
    `${email} has had an account here since ${day}, ${hasPassword ? 'with' : 'without'} a password, ` +
    `as a member of ${others}. If somebody else may control it, run "orgctx admin link --email ${email}": setting a new ` +
    'password with that link ends all sessions and connected clients and, if its box is checked, revokes API keys.'
  );
}
