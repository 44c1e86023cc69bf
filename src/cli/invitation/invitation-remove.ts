import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { noContent } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findInvitation } from './remote-invitation.ts';

export const invitationRemoveCommand = defineCommand({
  description: 'Withdraws an invitation: its link no longer works.',
  args: { invitation: requiredText('invitation', 'e-mail address or id') },
  flags: remoteFlags,
  examples: ['orgctx invitation remove bob@example.com'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id, email } = await findInvitation(api, args.invitation);
      await api.call({ method: 'DELETE', path: `/invitations/${encodeURIComponent(id)}` }, noContent);
      return {
        json: { id, email, removed: true },
        text: visibleLine(`The invitation of ${email} to ${api.target.org} no longer works.`),
      };
    }),
});
