import { sql } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';
import { dialectOf } from '../../../foundation/db/dialect.ts';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import type { DeliveryId } from '../../../foundation/kernel/ids.ts';
import type { NewDelivery } from './delivery.ts';

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
