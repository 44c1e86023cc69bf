import { z } from 'zod';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { choice, requiredText } from './frame/parameters.ts';
import { invitationRecord } from './invitation-record.ts';
import { roles } from './member-record.ts';
import { remoteFlags } from './remote-target.ts';

const newInvitation = invitationRecord.extend({ link: z.string() });

export const invitationAddCommand = defineCommand({
  description:
    'Invites someone and prints a link for them, this once: nothing is mailed. It works once, within seven days, for that ' +
    'e-mail address alone. A new invitation of the same address ends the one before. Only owners invite owners.',
  args: { email: requiredText('email', 'whom') },
  flags: { role: choice(roles, 'as what; member unless said otherwise'), ...remoteFlags },
  examples: ['orgctx invitation add bob@example.com --role admin --org acme'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const body = { email: args.email, role: flags.role ?? 'member' };
      const invitation = await api.call({ method: 'POST', path: '/invitations', body }, newInvitation);
      if (!context.terminal.json) {
        const { email, role, expiresAt } = invitation;
        context.terminal.note(
          visibleLine(`For ${email}, as ${role}, until ${expiresAt}; hand it over in private:`),
        );
      }
      return { json: invitation, text: visibleLine(invitation.link) };
    }),
});
