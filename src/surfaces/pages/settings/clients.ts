import type { FastifyReply } from 'fastify';
import { listGrants } from '../../../features/oauth/grants/grant-store.ts';
import { revokeGrant } from '../../../features/oauth/grants/revoke-grant.ts';
import type { Visit } from '../app/app-page.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { name, nameText } from '../kit/html/name.ts';
import { empty, nextPage, section, table } from '../kit/html/parts.ts';
import type { PageContext } from '../pages-deps.ts';
import { buttonForm, nextOf, settingsView } from './settings-view.ts';

const path = '/settings/clients';

/** Shows the clients that the person allowed to act for them, in any organization. */
export async function showClients(visit: Visit, { identity }: PageContext): Promise<FastifyReply> {
  const { now } = visit;
  const { userId } = visit.access.principal;
  const cursor = visit.query('cursor');
  const page = await listGrants(identity.database.queries, userId, { cursor }, now);
  const content = section(
    'clients',
    'Clients you allowed',
    page.items.length === 0
      ? empty(
          el(
            'p',
            null,
            'None. ',
            el('a', { href: visit.path('/connect') }, 'Connect a client'),
            ', such as an editor.',
          ),
        )
      : table({
          caption: 'Connected clients, oldest first',
          columns: ['Client', 'Organization', 'Scopes', 'Since', 'Last used', 'Action'],
          rows: page.items.map(({ id, client, organization, scopes, createdAt, lastUsedAt }) => {
            const label = nameText(client.name, 80) || 'Unnamed client';
            return [
              name(label),
              organization?.slug ?? 'none',
              scopes.join(', '),
              age(createdAt, now),
              lastUsedAt === undefined ? 'never' : age(lastUsedAt, now),
              buttonForm(visit, `${path}/${id}/revoke`, 'Disconnect', `Disconnect ${label}`),
            ];
          }),
        }),
    nextPage(nextOf(visit, path, page.nextCursor)),
    page.items.length > 0 &&
      el('p', { class: 'after' }, el('a', { href: visit.path('/connect') }, 'Connect another client')),
  );
  return visit.show(settingsView(visit, path, content));
}

export async function revokeClient(visit: Visit, { identity }: PageContext): Promise<FastifyReply> {
  const { userId } = visit.access.principal;
  await revokeGrant(identity, { id: visit.param('id'), userId, actor: visit.actor });
  return visit.seeOther(path);
}
