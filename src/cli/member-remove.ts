import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { requiredText } from './frame/parameters.ts';
import { findMember, memberPath } from './member-record.ts';
import { noContent } from './remote-page.ts';
import { remoteFlags } from './remote-target.ts';

export const memberRemoveCommand = defineCommand({
  description: 'Ends a membership with the next request. The last owner of an organization stays.',
  args: { member: requiredText('member', 'e-mail or user id') },
  flags: remoteFlags,
  examples: ['orgctx member remove bob@example.com --org acme'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const member = await findMember(api, args.member);
      await api.call({ method: 'DELETE', path: memberPath(member) }, noContent);
      return {
        json: { userId: member.userId, email: member.email, removed: true },
        text: visibleLine(`${member.email} is no longer a member of ${api.target.org}.`),
      };
    }),
});
