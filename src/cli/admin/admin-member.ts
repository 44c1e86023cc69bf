import { findOrganization } from '../../features/identity/people/organization-store.ts';
import { removeMember } from '../../features/identity/people/remove-member.ts';
import { revokeGrantsOf } from '../../features/oauth/grants/grant-store.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { defineCommand, defineGroup } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withHostDatabase } from '../host/with-host-database.ts';
import { adminDatabase, personFlags, requireUser } from './admin-person.ts';

const removeCommand = defineCommand({
  description: 'Ends a membership. The last owner of an organization cannot be removed.',
  flags: { ...personFlags, org: requiredText('slug', 'the organization') },
  examples: ['orgctx admin member remove --email bob@example.com --org acme'],
  run: ({ flags }, context) =>
    withHostDatabase(context, flags, adminDatabase, async ({ database }) => {
      const user = await requireUser(database.queries, flags.email);
      const organization = await findOrganization(database.queries, flags.org);
      if (organization === undefined) throw new NotFound(`There is no organization ${flags.org}.`);
      const deps = { database, clock: systemClock, revokeGrants: revokeGrantsOf };
      const scope = { organizationId: organization.id, orgSlug: organization.slug };
      await removeMember(deps, scope, { kind: 'host' }, user.id);
      return {
        json: { user: { id: user.id, email: user.email }, organization, removed: true },
        text: `${user.email} is no longer a member of ${organization.slug}.`,
      };
    }),
});

export const adminMemberCommand = defineGroup({
  remove: { summary: 'remove a member from an organization', load: () => removeCommand },
});
