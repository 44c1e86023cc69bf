import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';
import { deleteInSlices, type Purge } from '../../../foundation/db/delete-in-slices.ts';
import { dialectOf } from '../../../foundation/db/dialect.ts';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import { type ConnectionId, type DeliveryId, isUuid, newId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/wire/page.ts';
import { requireConnection } from '../connections/connection-store.ts';
import type { ConnectionsDeps } from '../connections/connections-deps.ts';
import type { EntityReference, ReceivedWebhook, WebhookEffect } from '../port.ts';
import type { DeliveryRow } from '../tables.ts';

/** The record of one delivery for one connection: references and a hash, never the body. */
export interface Delivery {
  readonly id: DeliveryId;
  /** The kind of connector that sent it, or `githost`. */
  readonly source: string;
  /** Connection whose secret verified it; `undefined` if none did, or only the deployment's secret. */
  readonly connectionId: ConnectionId | undefined;
  readonly deliveryKey: string | undefined;
  readonly outcome: 'accepted' | 'ignored' | 'rejected';
  /** Reason why it was ignored or rejected, a short word. */
  readonly reason: string | undefined;
  /** The provider's name of the event; `undefined` if it is not verified. */
  readonly event: string | undefined;
  readonly entities: readonly EntityReference[];
  /** SHA-256 of the body, in hex. */
  readonly bodyHash: string;
  readonly bodyBytes: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly replayedAt: number | undefined;
}

type Absent = 'connectionId' | 'deliveryKey' | 'reason' | 'event';

export interface NewDelivery extends Omit<Delivery, Absent | 'replayedAt'>, Partial<Pick<Delivery, Absent>> {
  /** Applied to the connection when the delivery is stored, if it is accepted. */
  readonly effect?: WebhookEffect | undefined;
  /** `traceparent` of its own request, because its work is committed together with that of other requests. */
  readonly traceContext?: string | undefined;
}

/** Returns what is known of a delivery before it is verified. */
export function receivedDelivery(
  source: string,
  { body }: ReceivedWebhook,
  receivedAt: number,
): Omit<NewDelivery, 'outcome'> {
  const id = newId<DeliveryId>(receivedAt);
  const bodyHash = hash('sha256', body);
  return { id, source, entities: [], bodyHash, bodyBytes: body.length, receivedAt };
}

/** Retention of deliveries, including rejected ones, in milliseconds. */
const deliveryRetentionMs = 14 * 86_400_000;

/**
 * Maximum number of rejected deliveries; the newest are kept. Bounded because any unauthenticated caller can send
 * them.
 */
const maxRejectedDeliveries = 20_000;

/** Selects deliveries; an absent field selects all. */
export interface DeliveryFilter {
  readonly connectionId?: string | undefined;
  readonly outcome?: Delivery['outcome'] | undefined;
  /** Received at this time or later, ms since the epoch. */
  readonly since?: number | undefined;
}

/**
 * Returns one page, newest first, of every organization: only for the host, and for `deliveriesOfConnection`.
 * @throws InvalidInput for a bad limit or cursor
 */
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

/** Returns the deliveries after `after`, oldest first. */
export async function nextDeliveries(
  queries: Queries,
  filter: DeliveryFilter,
  { after, limit }: { readonly after: DeliveryId | undefined; readonly limit: number },
): Promise<readonly Delivery[]> {
  let query = matching(queries, filter).orderBy('id');
  if (after !== undefined) query = query.where('id', '>', after);
  return (await query.limit(limit).execute()).map(toDelivery);
}

/**
 * Returns why the first delivery of a kind was rejected at a time or later. Rejected deliveries belong to no
 * connection, because nobody has proved whose they are. For the host only.
 */
export async function findRejection(
  queries: Queries,
  source: string,
  since: number,
): Promise<string | undefined> {
  const rejected = matching(queries, { outcome: 'rejected', since }).where('source', '=', source);
  const row = await rejected.orderBy('received_at').limit(1).executeTakeFirst();
  return row?.reason ?? undefined;
}

export async function findDelivery(queries: Queries, id: string): Promise<Delivery | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await queries.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toDelivery(row);
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

const columns = {
  id: 'text',
  source: 'text',
  connection_id: 'text',
  delivery_key: 'text',
  outcome: 'text',
  reason: 'text',
  event: 'text',
  entities: 'text',
  body_hash: 'text',
  body_bytes: 'bigint',
  received_at: 'bigint',
} as const;

const names = sql.join(Object.keys(columns).map((column) => sql.ref(column)));

/**
 * Stores deliveries in one statement, whose text does not depend on their number. Returns the ids of the new ones; the
 * others exist already with the same connection and delivery key.
 */
export async function insertDeliveries(
  tx: Queries,
  deliveries: readonly NewDelivery[],
): Promise<ReadonlySet<DeliveryId>> {
  const given = givenRows(dialectOf(tx), columns, deliveries.map(toRow));
  const { rows: inserted } = await sql<{ id: DeliveryId }>`
    insert into deliveries (${names}) select ${names} from ${given} where true
    on conflict do nothing returning id`.execute(tx);
  return new Set(inserted.map(({ id }) => id));
}

function toRow(delivery: NewDelivery) {
  return {
    id: delivery.id,
    source: delivery.source,
    connection_id: delivery.connectionId ?? null,
    delivery_key: delivery.deliveryKey ?? null,
    outcome: delivery.outcome,
    reason: delivery.reason ?? null,
    event: delivery.event ?? null,
    entities: JSON.stringify(delivery.entities),
    body_hash: delivery.bodyHash,
    body_bytes: delivery.bodyBytes,
    received_at: delivery.receivedAt,
  };
}

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

/** Deletes expired deliveries and excess rejected ones in slices, until none is left. @throws the reason of `signal` */
export async function pruneDeliveries(
  { database, clock }: Pick<ConnectionsDeps, 'database' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const now = clock();
  const expired: Purge = (tx, { limit }) => {
    const before = now - deliveryRetentionMs;
    const oldest = tx.selectFrom('deliveries').where('received_at', '<', before).orderBy('received_at');
    return tx.deleteFrom('deliveries').where('id', 'in', oldest.select('id').limit(limit));
  };
  await deleteInSlices(database, [expired], now, signal);
  // Skips many rows, and therefore runs outside of the transactions that intake waits for.
  const rejected = database.queries.selectFrom('deliveries').select('id').where('outcome', '=', 'rejected');
  const newestFirst = rejected.orderBy('id', 'desc').offset(maxRejectedDeliveries).limit(1);
  const excess = await newestFirst.executeTakeFirst();
  if (excess === undefined) return;
  const inExcess: Purge = (tx, { limit }) => {
    const old = tx.selectFrom('deliveries').where('outcome', '=', 'rejected').where('id', '<=', excess.id);
    return tx.deleteFrom('deliveries').where('id', 'in', old.select('id').orderBy('id').limit(limit));
  };
  await deleteInSlices(database, [inExcess], now, signal);
}
