import type { Queries } from '../../../foundation/db/database.ts';
import type { DeliveryRow } from '../../../foundation/db/tables.ts';
import type { ConnectionId, DeliveryId } from '../../../foundation/kernel/ids.ts';
import { isUuid } from '../../../foundation/kernel/ids.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/page.ts';
import type { EntityReference } from '../port.ts';
import type { Delivery } from './delivery.ts';

/** Which deliveries are asked for; all of them where nothing is said. */
export interface DeliveryFilter {
  readonly connectionId?: string | undefined;
  readonly outcome?: Delivery['outcome'] | undefined;
  /** Received at this time or later, ms since the epoch. */
  readonly since?: number | undefined;
}

/** One page, newest first. For the host alone: it knows no organization. @throws InvalidInput for a bad limit or cursor */
export async function listDeliveries(
  queries: Queries,
  filter: DeliveryFilter & PageRequest,
): Promise<Page<Delivery>> {
  const { limit, after } = startAfter(filter);
  let query = matching(queries, filter).orderBy('id', 'desc');
  if (after !== undefined) query = query.where('id', '<', after);
  const rows = await query.limit(limit + 1).execute();
  return pageOf(rows.map(toDelivery), limit);
}

/** Oldest first, those after `after` alone. */
export async function nextDeliveries(
  queries: Queries,
  filter: DeliveryFilter,
  { after, limit }: { readonly after: DeliveryId | undefined; readonly limit: number },
): Promise<readonly Delivery[]> {
  let query = matching(queries, filter).orderBy('id');
  if (after !== undefined) query = query.where('id', '>', after);
  return (await query.limit(limit).execute()).map(toDelivery);
}

export async function findDelivery(queries: Queries, id: string): Promise<Delivery | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await queries.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toDelivery(row);
}

export async function markReplayed(tx: Queries, ids: readonly DeliveryId[], now: number): Promise<void> {
  if (ids.length === 0) return;
  await tx.updateTable('deliveries').set({ replayed_at: now }).where('id', 'in', ids).execute();
}

/** Deletes the oldest ones received before a time, `most` at once. Returns how many. */
export async function deleteDeliveriesBefore(tx: Queries, before: number, most: number): Promise<number> {
  const oldest = tx
    .selectFrom('deliveries')
    .select('id')
    .where('received_at', '<', before)
    .orderBy('received_at')
    .limit(most);
  const result = await tx.deleteFrom('deliveries').where('id', 'in', oldest).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Ids of the oldest rejected ones, so many that `kept` are left; `most` at once. */
export async function rejectedBeyond(queries: Queries, kept: number, most: number): Promise<DeliveryId[]> {
  const rows = await matching(queries, { outcome: 'rejected' })
    .clearSelect()
    .select('id')
    .orderBy('id', 'desc')
    .offset(kept)
    .limit(most)
    .execute();
  return rows.map(({ id }) => id as DeliveryId);
}

export async function deleteDeliveries(tx: Queries, ids: readonly DeliveryId[]): Promise<void> {
  await tx.deleteFrom('deliveries').where('id', 'in', ids).execute();
}

function matching(queries: Queries, { connectionId, outcome, since }: DeliveryFilter) {
  let query = queries.selectFrom('deliveries').selectAll();
  if (connectionId !== undefined) query = query.where('connection_id', '=', connectionId);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (since !== undefined) query = query.where('received_at', '>=', since);
  return query;
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id as DeliveryId,
    source: row.source,
    connectionId: (row.connection_id ?? undefined) as ConnectionId | undefined,
    deliveryKey: row.delivery_key ?? undefined,
    outcome: row.outcome,
    reason: row.reason ?? undefined,
    event: row.event ?? undefined,
    entities: JSON.parse(row.entities) as readonly EntityReference[],
    bodyHash: row.body_hash,
    bodyBytes: row.body_bytes,
    receivedAt: row.received_at,
    replayedAt: row.replayed_at ?? undefined,
  };
}
