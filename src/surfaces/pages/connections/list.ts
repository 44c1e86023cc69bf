import type { FastifyReply } from 'fastify';
import { showConnections } from '../../../features/connectors/connections/show-connections.ts';
import { connectorNameOf } from '../../../features/connectors/port.ts';
import type { Visit } from '../app/app-page.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { name } from '../kit/html/name.ts';
import { empty, nextPage, pageHeading, table } from '../kit/html/parts.ts';
import type { PageContext } from '../pages-deps.ts';
import { connectionState } from './connection-parts.ts';

/** Shows the connections of the organization, oldest first. */
export async function listPage(visit: Visit, { connections }: PageContext): Promise<FastifyReply> {
  const page = await showConnections(connections, visit.scope, { cursor: visit.query('cursor') });
  const admin = visit.may('admin');
  const add = el('a', { class: 'button primary', href: visit.path('/connections/new') }, 'Add a connection');
  const when = (time: number | undefined) => (time === undefined ? 'never' : age(time, visit.now));
  const next = page.nextCursor ?? undefined;
  return visit.show({
    title: 'Connections',
    content: [
      pageHeading('Connections', ...(admin ? [add] : [])),
      page.items.length === 0
        ? empty(
            el(
              'p',
              null,
              'None yet. A connection mirrors issues or incidents into a Git repository, so that answers know them.',
            ),
            el(
              'p',
              null,
              admin ? 'Add one to mirror issues or incidents.' : 'Ask an administrator to add one.',
            ),
          )
        : el(
            'div',
            { class: 'card' },
            table({
              caption: 'Connections',
              columns: ['Name', 'Kind', 'State', 'Account', 'Last event', 'Last sync', 'Waiting', 'Failed'],
              rows: page.items.map((connection) => [
                el('a', { href: visit.path(`/connections/${connection.id}`) }, name(connection.name)),
                connectorNameOf(connections.connectors, connection.kind),
                connectionState(connection.state),
                connection.account === undefined ? 'none' : name(connection.account.name),
                when(connection.lastAcceptedAt),
                when(connection.lastSyncAt),
                String(connection.counts.pending),
                String(connection.counts.failed),
              ]),
            }),
          ),
      nextPage(next && visit.path(`/connections?cursor=${next}`)),
    ],
  });
}
