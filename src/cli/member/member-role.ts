import { roles } from '../../features/identity/access/principal.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredChoice, requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findMember, memberPath, remoteMember } from './remote-member.ts';

export const memberRoleCommand = defineCommand({
  description:
    'Changes the role of a member. Only owners can appoint or change owners, and the last owner must remain one.',
  args: {
    member: requiredText('member', 'e-mail address or user id'),
    role: requiredChoice(roles, 'the new role'),
  },
  flags: remoteFlags,
  examples: ['orgctx member role bob@example.com admin'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const path = memberPath(await findMember(api, args.member));
      const changed = await api.call({ method: 'PUT', path, body: { role: args.role } }, remoteMember);
      return {
        json: changed,
        text: visibleLine(`${changed.email} is now ${changed.role} of ${api.target.org}.`),
      };
    }),
});
