import { removeMembership } from '../features/identity/membership-store.ts';
import { findOrganization } from '../features/identity/organization-store.ts';
import { NotFound } from '../foundation/kernel/errors.ts';
import { adminDatabase, personFlags, requireUser } from './admin-person.ts';
import { defineCommand, defineGroup } from './frame/command.ts';
import { requiredText } from './frame/parameters.ts';
import { withHostDatabase } from './with-host-database.ts';

const removeCommand = defineCommand({
  description: 'Ends a membership. The last owner of an organization stays.',
  flags: { ...personFlags, org: requiredText('slug', 'the organization') },
  examples: ['orgctx admin member remove --email bob@example.com --org acme'],
  run: ({ flags }, context) =>
    withHostDatabase(context, flags, adminDatabase, async ({ database }) => {
      const user = await requireUser(database.queries, flags.email);
      const organization = await findOrganization(database.queries, flags.org);
      if (organization === undefined) throw new NotFound(`There is no organization ${flags.org}.`);
      const member = { organizationId: organization.id, userId: user.id };
      const removed = await database.transaction((tx) => removeMembership(tx, member));
      if (!removed) throw new NotFound(`${user.email} is not a member of ${organization.slug}.`);
      return {
        json: { user: { id: user.id, email: user.email }, organization, removed },
        text: `${user.email} is no longer a member of ${organization.slug}.`,
      };
    }),
});

export const adminMemberCommand = defineGroup({
  remove: { summary: 'remove a member from an organization', load: () => removeCommand },
});
