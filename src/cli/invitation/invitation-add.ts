import { roles } from '../../features/identity/access/principal.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { minuteOf } from '../frame/in-words.ts';
import { choice, requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { newInvitation } from './remote-invitation.ts';

export const invitationAddCommand = defineCommand({
  description:
    'Creates an invitation and prints its link, which is not shown again; no e-mail is sent. The link works once, within ' +
    'seven days, for that e-mail address only. It replaces an earlier invitation of the same address. Only owners can ' +
    'invite owners.',
  args: { email: requiredText('email', 'e-mail address of the person') },
  flags: { role: choice(roles, 'role in the organization; default: member'), ...remoteFlags },
  examples: ['orgctx invitation add bob@example.com --role admin'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const body = { email: args.email, role: flags.role ?? 'member' };
      const invitation = await api.call({ method: 'POST', path: '/invitations', body }, newInvitation);
      if (!context.terminal.json) {
        const { email, role, expiresAt } = invitation;
        context.terminal.note(
          visibleLine(
            `Invitation of ${email} as ${role}, valid until ${minuteOf(expiresAt)}; send it over a private channel:`,
          ),
        );
      }
      return { json: invitation, text: visibleLine(invitation.link) };
    }),
});
