import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { requiredText } from './frame/parameters.ts';
import { findInvitation } from './invitation-record.ts';
import { noContent } from './remote-page.ts';
import { remoteFlags } from './remote-target.ts';

export const invitationRemoveCommand = defineCommand({
  description: 'Takes an invitation back: its link no longer works.',
  args: { invitation: requiredText('invitation', 'e-mail or id') },
  flags: remoteFlags,
  examples: ['orgctx invitation remove bob@example.com --org acme'],
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
