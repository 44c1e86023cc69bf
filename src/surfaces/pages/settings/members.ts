import type { FastifyReply } from 'fastify';
import type { VNode } from 'preact';
import { roles } from '../../../features/identity/access/principal.ts';
import { changeRole, noSuchMember } from '../../../features/identity/people/change-role.ts';
import { listMembers, type Member } from '../../../features/identity/people/member-store.ts';
import { removeMember } from '../../../features/identity/people/remove-member.ts';
import { revokeGrantsOf } from '../../../features/oauth/grants/grant-store.ts';
import { InvalidInput, OrgctxError } from '../../../foundation/kernel/errors.ts';
import { isUuid, type UserId } from '../../../foundation/kernel/ids.ts';
import type { Visit } from '../app/app-page.ts';
import { button, hiddenFields } from '../kit/forms/form.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { name, nameText } from '../kit/html/name.ts';
import { nextPage, section, table } from '../kit/html/parts.ts';
import type { PageContext } from '../pages-deps.ts';
import { confirmedForm, nextOf, type Question, settingsView } from './settings-view.ts';

const path = '/settings/members';

/** Shows the members with their roles. `problem` says why a change was refused. */
export async function showMembers(
  visit: Visit,
  { identity }: PageContext,
  problem?: OrgctxError,
): Promise<FastifyReply> {
  const page = await listMembers(identity.database.queries, visit.scope, { cursor: visit.query('cursor') });
  const content = section(
    'members',
    'Members',
    problem !== undefined && el('p', { class: 'summary', role: 'alert' }, problem.message),
    el(
      'p',
      null,
      el('a', { href: visit.path('/settings/invitations') }, 'Invite somebody'),
      '. Members search and ask. Admins also change repositories, connections, Git hosts and members. Owners also change owners and see the state of the system.',
    ),
    table({
      caption: 'Members',
      columns: ['E-mail', 'Name', 'Since', 'Role', 'Action'],
      rows: page.items.map((member) => row(visit, member)),
    }),
    nextPage(nextOf(visit, path, page.nextCursor)),
  );
  return visit.show(settingsView(visit, path, content, problem?.status));
}

function row(visit: Visit, member: Member) {
  const { userId, email, name: given, createdAt, disabled } = member;
  const isOwn = userId === visit.access.principal.userId;
  return [
    [name(email), disabled && el('span', { class: 'quiet' }, ' (disabled)')],
    name(given),
    age(createdAt, visit.now),
    roleForm(visit, member),
    confirmedForm(visit, `${path}/${userId}/remove`, isOwn ? leaving : removal(nameText(email, 100))),
  ];
}

const leaving: Question = {
  text: 'Leave',
  label: 'Leave the organization',
  consequence: 'You lose access to this organization at once. You need an invitation to return.',
  confirm: 'Leave the organization',
};

function removal(email: string): Question {
  return {
    text: 'Remove',
    label: `Remove ${email}`,
    consequence: 'This person loses access to this organization at once, and needs an invitation to return.',
    confirm: 'Remove the member',
  };
}

function roleForm(visit: Visit, { userId, email, role }: Member): VNode {
  const { action, csrf } = visit.form(`${path}/${userId}/role`);
  return el(
    'form',
    { method: 'post', action, class: 'actions' },
    hiddenFields({ csrf }),
    el(
      'select',
      { name: 'role', 'aria-label': `Role of ${nameText(email, 100)}` },
      ...roles.map((each) => el('option', { value: each, selected: each === role }, each)),
    ),
    button('Save'),
  );
}

export async function changeMember(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const role = roles.find((each) => each === visit.fields['role']);
  if (role === undefined) {
    const problem = new InvalidInput(
      `There is no such role: choose ${roles.join(', ')}. Nothing was changed.`,
    );
    return showMembers(visit, context, problem);
  }
  return changed(visit, context, () =>
    changeRole(context.identity, visit.scope, visit.actor, { userId: memberOf(visit), role }),
  );
}

export async function removeMembership(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const deps = { ...context.identity, revokeGrants: revokeGrantsOf };
  const isLeaving = visit.param('id') === visit.access.principal.userId;
  return changed(
    visit,
    context,
    () => removeMember(deps, visit.scope, visit.actor, memberOf(visit)),
    isLeaving,
  );
}

/** Runs a change. A refusal is shown above the list; who has left continues at the start page. */
async function changed(
  visit: Visit,
  context: PageContext,
  work: () => Promise<unknown>,
  isLeaving = false,
): Promise<FastifyReply> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OrgctxError) || error.status === 404) throw error;
    return showMembers(visit, context, error);
  }
  return isLeaving ? visit.reply.redirect('/', 303) : visit.seeOther(path);
}

function memberOf(visit: Visit): UserId {
  const id = visit.param('id');
  if (!isUuid(id)) throw noSuchMember();
  return id as UserId;
}
