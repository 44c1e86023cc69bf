import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { requiredChoice, requiredText } from './frame/parameters.ts';
import { findMember, memberPath, memberRecord, roles } from './member-record.ts';
import { remoteFlags } from './remote-target.ts';

export const memberRoleCommand = defineCommand({
  description:
    'Changes the role of a member. Only owners make owners or change them, and the last owner stays.',
  args: {
    member: requiredText('member', 'e-mail or user id'),
    role: requiredChoice(roles, 'what they are from now on'),
  },
  flags: remoteFlags,
  examples: ['orgctx member role bob@example.com admin --org acme'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const path = memberPath(await findMember(api, args.member));
      const changed = await api.call({ method: 'PUT', path, body: { role: args.role } }, memberRecord);
      return {
        json: changed,
        text: visibleLine(`${changed.email} is now ${changed.role} of ${api.target.org}.`),
      };
    }),
});
