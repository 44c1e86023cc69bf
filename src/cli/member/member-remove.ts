import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { noContent } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findMember, memberPath } from './remote-member.ts';

export const memberRemoveCommand = defineCommand({
  description:
    'Ends a membership, effective from the next request. The last owner of an organization cannot be removed.',
  args: { member: requiredText('member', 'e-mail address or user id') },
  flags: remoteFlags,
  examples: ['orgctx member remove bob@example.com'],
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
