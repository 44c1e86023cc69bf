import type { Queries } from '../../../foundation/db/database.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Page, PageRequest } from '../../../foundation/kernel/wire/page.ts';
import { requireConnection } from '../connections/connection-store.ts';
import type { Delivery } from './delivery.ts';
import { listDeliveries } from './delivery-store.ts';
import { type ReplayDeps, type ReplayRange, replayDeliveriesSince } from './replay-deliveries.ts';

/** Returns one page of the deliveries of a connection, newest first. @throws NotFound; InvalidInput for a bad cursor */
export async function deliveriesOfConnection(
  queries: Queries,
  scope: OrgScope,
  id: string,
  page: PageRequest,
): Promise<Page<Delivery>> {
  const connection = await requireConnection(queries, scope, id);
  return listDeliveries(queries, { connectionId: connection.id, ...page });
}

/** Replays the accepted deliveries of a connection. Returns their number. @throws NotFound */
export async function replayConnection(
  deps: ReplayDeps,
  scope: OrgScope,
  { connectionId, since }: ReplayRange,
  signal: AbortSignal,
): Promise<number> {
  const { id } = await requireConnection(deps.database.queries, scope, connectionId);
  let replayed = 0;
  for await (const count of replayDeliveriesSince(deps, { connectionId: id, since })) {
    replayed += count;
    signal.throwIfAborted();
  }
  return replayed;
}
