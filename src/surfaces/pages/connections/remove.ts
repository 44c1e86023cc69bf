import type { FastifyReply } from 'fastify';
import { requireConnection } from '../../../features/connectors/connections/connection-store.ts';
import { removeConnection } from '../../../features/connectors/setup/remove-connection.ts';
import type { Visit } from '../app/app-page.ts';
import { actions, form } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { card } from '../kit/html/layout.ts';
import { name, nameText } from '../kit/html/name.ts';
import type { PageContext } from '../pages-deps.ts';

/** Asks before the removal, which cannot be undone. */
export async function showRemove(visit: Visit, { connections }: PageContext): Promise<FastifyReply> {
  const connection = await requireConnection(connections.database.queries, visit.scope, visit.param('id'));
  const path = `/connections/${connection.id}`;
  return visit.show({
    title: `Remove ${nameText(connection.name, 100)}`,
    content: card(
      'Remove the connection',
      el(
        'p',
        null,
        'The service forgets ',
        el('strong', null, name(connection.name)),
        ' with its secrets, revokes its authorization at the provider and removes its webhooks. The mirrored files stay in the repository.',
      ),
      form(
        visit.form(`${path}/remove`),
        actions(
          el('button', { type: 'submit', class: 'danger' }, 'Remove the connection'),
          el('a', { class: 'button', href: visit.path(path) }, 'Keep it'),
        ),
      ),
    ),
  });
}

export async function remove(visit: Visit, { connections }: PageContext): Promise<FastifyReply> {
  const { scope, actor } = visit;
  const { id } = await requireConnection(connections.database.queries, scope, visit.param('id'));
  await removeConnection(connections, scope, actor, id);
  return visit.seeOther('/connections');
}
