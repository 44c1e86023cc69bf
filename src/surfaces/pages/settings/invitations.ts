import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { roles } from '../../../features/identity/access/principal.ts';
import { invitationUrl } from '../../../features/identity/invitations/invitation.ts';
import { listInvitations } from '../../../features/identity/invitations/invitation-store.ts';
import { inviteMember } from '../../../features/identity/invitations/invite-member.ts';
import {
  noSuchInvitation,
  revokeInvitation,
} from '../../../features/identity/invitations/revoke-invitation.ts';
import { type InvitationId, isUuid } from '../../../foundation/kernel/ids.ts';
import type { Visit } from '../app/app-page.ts';
import { checkFields, filled, formErrorsOf } from '../kit/forms/check-fields.ts';
import { selectField } from '../kit/forms/choice-fields.ts';
import { actions, button, type FieldErrors, form, textField } from '../kit/forms/form.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { name, nameText } from '../kit/html/name.ts';
import { copyable, empty, nextPage, section, table } from '../kit/html/parts.ts';
import type { PageContext } from '../pages-deps.ts';
import { buttonForm, nextOf, settingsView } from './settings-view.ts';

const path = '/settings/invitations';

const fields = z.object({
  email: filled('Enter the e-mail address of the person.', 254),
  role: z.enum(roles, { error: 'Choose a role.' }),
});

interface Shown {
  readonly errors?: FieldErrors;
  /** The link of an invitation that was just created, and for whom. It is never shown again. */
  readonly created?: { readonly email: string; readonly link: string };
}

/** Shows the open invitations, and the form for another. */
export async function showInvitations(
  visit: Visit,
  { identity }: PageContext,
  { errors, created }: Shown = {},
): Promise<FastifyReply> {
  const request = { cursor: visit.query('cursor') };
  const page = await listInvitations(identity.database.queries, visit.scope, request, visit.now);
  const content = [
    created !== undefined &&
      section(
        'created',
        'Send this link',
        el(
          'p',
          { role: 'status' },
          'Only ',
          name(created.email),
          ' can accept it. It is shown only this once.',
        ),
        copyable(created.link, 'Copy the link'),
      ),
    section('new', 'Invite somebody', inviteForm(visit, errors)),
    section(
      'open',
      'Open invitations',
      page.items.length === 0
        ? empty(el('p', null, 'No invitation is open.'))
        : table({
            caption: 'Open invitations, oldest first',
            columns: ['E-mail', 'Role', 'Created', 'Expires', 'Action'],
            rows: page.items.map(({ id, email, role, createdAt, expiresAt }) => [
              name(email),
              role,
              age(createdAt, visit.now),
              age(expiresAt, visit.now),
              buttonForm(
                visit,
                `${path}/${id}/withdraw`,
                'Withdraw',
                `Withdraw that of ${nameText(email, 100)}`,
              ),
            ]),
          }),
      nextPage(nextOf(visit, path, page.nextCursor)),
    ),
  ];
  return visit.show(settingsView(visit, path, content, errors === undefined ? 200 : 400));
}

function inviteForm(visit: Visit, errors: FieldErrors | undefined) {
  return form(
    { ...visit.form(path), errors },
    textField({
      name: 'email',
      label: 'E-mail address',
      hint: 'The service sends no mail: it shows a link that you send yourself.',
      type: 'email',
      autocomplete: 'off',
      value: errors === undefined ? undefined : visit.fields['email'],
      error: errors?.['email'],
    }),
    selectField({
      name: 'role',
      label: 'Role',
      options: [...roles].toReversed().map((role) => ({ value: role, label: role })),
      value: visit.fields['role'] ?? 'member',
      error: errors?.['role'],
    }),
    actions(button('Create the invitation', { primary: true })),
  );
}

/** Creates an invitation and shows its link. Sent twice, the second one replaces the first. */
export async function invite(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const { values, errors } = checkFields(fields, visit.fields);
  if (errors !== undefined) return showInvitations(visit, context, { errors });
  try {
    const { token } = await inviteMember(context.identity, visit.scope, visit.actor, values);
    const link = invitationUrl(context.config.appUrl, token);
    return await showInvitations(visit, context, { created: { email: values.email, link } });
  } catch (error) {
    return showInvitations(visit, context, { errors: formErrorsOf(error, Object.keys(fields.shape)) });
  }
}

export async function withdraw(visit: Visit, { identity }: PageContext): Promise<FastifyReply> {
  const id = visit.param('id');
  if (!isUuid(id)) throw noSuchInvitation();
  await revokeInvitation(identity, visit.scope, visit.actor, id as InvitationId);
  return visit.seeOther(path);
}
