import type { FastifyReply } from 'fastify';
import { showConnection } from '../../../features/connectors/connections/show-connections.ts';
import { deliveriesOfConnection } from '../../../features/connectors/intake/delivery-store.ts';
import { replayConnection } from '../../../features/connectors/intake/replay-deliveries.ts';
import { connectorNameOf } from '../../../features/connectors/port.ts';
import { syncConnection } from '../../../features/connectors/setup/sync-connection.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { Visit } from '../app/app-page.ts';
import type { PageContext } from '../pages-deps.ts';
import { detailView } from './detail-view.ts';

const shownDeliveries = 20;

/** Periods that deliveries can be replayed for, in milliseconds. */
const periods: Readonly<Record<string, number>> = { hour: 3_600_000, day: 86_400_000, days: 3 * 86_400_000 };

/** Shows a connection: its state, its account and repository, its deliveries and what went wrong. */
export async function showConnectionPage(
  visit: Visit,
  { connections }: PageContext,
  said?: { readonly status: number; readonly message: string },
): Promise<FastifyReply> {
  const connection = await showConnection(connections, visit.scope, visit.param('id'));
  const page = { limit: shownDeliveries, cursor: visit.query('deliveries') };
  const { queries } = connections.database;
  const deliveries = visit.may('admin')
    ? await deliveriesOfConnection(queries, visit.scope, connection.id, page)
    : undefined;
  const kindName = connectorNameOf(connections.connectors, connection.kind);
  const done = doneTexts[visit.query('done') ?? ''];
  return visit.show(detailView(visit, { connection, kindName, deliveries, done, said }));
}

const doneTexts: Readonly<Record<string, string>> = {
  sync: 'The comparison with the provider was started.',
  replay: 'The accepted deliveries of that period are processed again.',
};

/** Reads the configuration and compares the provider with the mirrored files now. */
export async function syncNow(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const { id } = await showConnection(context.connections, visit.scope, visit.param('id'));
  const full = visit.fields['full'] === 'true';
  return shownOn(visit, context, 'sync', () =>
    syncConnection(context.connections, visit.scope, visit.actor, id, { full }),
  );
}

/** Processes the accepted deliveries of a period again. */
export async function replayDeliveries(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const { connections } = context;
  const { id } = await showConnection(connections, visit.scope, visit.param('id'));
  const { database, clock } = connections;
  const since = visit.now - (periods[visit.fields['period'] ?? ''] ?? 0);
  const deps = { database, clock, actor: visit.actor, connectors: connections.connectors };
  return shownOn(visit, context, 'replay', () =>
    replayConnection(deps, visit.scope, { connectionId: id, since }, visit.signal),
  );
}

/** Returns to the page of the connection, with what was done or why it was not. */
async function shownOn(
  visit: Visit,
  context: PageContext,
  done: string,
  work: () => Promise<unknown>,
): Promise<FastifyReply> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OrgctxError) || error.status === 404) throw error;
    return showConnectionPage(visit, context, error);
  }
  return visit.seeOther(`/connections/${visit.param('id')}?done=${done}`);
}
