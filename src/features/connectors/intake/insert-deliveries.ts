import { sql } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';
import { dialectOf } from '../../../foundation/db/dialect.ts';
import type { DeliveryId } from '../../../foundation/kernel/ids.ts';
import type { NewDelivery } from './delivery.ts';

const columns = [
  'id',
  'source',
  'connection_id',
  'delivery_key',
  'outcome',
  'reason',
  'event',
  'entities',
  'body_hash',
  'body_bytes',
  'received_at',
] as const;

const names = sql.join(columns.map((column) => sql.ref(column)));

/**
 * Stores deliveries in one statement, whose text is the same however many they are, and returns the ids of those that
 * are new; the others are known already by their connection and delivery key.
 */
export async function insertDeliveries(
  tx: Queries,
  deliveries: readonly NewDelivery[],
): Promise<ReadonlySet<DeliveryId>> {
  const rows = dialectOf(tx) === 'postgres' ? postgresRows(deliveries) : sqliteRows(deliveries);
  const { rows: inserted } = await sql<{ id: DeliveryId }>`
    insert into deliveries (${names}) select ${names} from ${rows} where true
    on conflict do nothing returning id`.execute(tx);
  return new Set(inserted.map(({ id }) => id));
}

function valuesOf(delivery: NewDelivery) {
  return [
    delivery.id,
    delivery.source,
    delivery.connectionId ?? null,
    delivery.deliveryKey ?? null,
    delivery.outcome,
    delivery.reason ?? null,
    delivery.event ?? null,
    JSON.stringify(delivery.entities),
    delivery.bodyHash,
    delivery.bodyBytes,
    delivery.receivedAt,
  ] as const;
}

function sqliteRows(deliveries: readonly NewDelivery[]) {
  const read = columns.map((column, index) => sql`value ->> ${sql.lit(index)} as ${sql.ref(column)}`);
  return sql`(select ${sql.join(read)} from json_each(${JSON.stringify(deliveries.map(valuesOf))})) as given`;
}

function postgresRows(deliveries: readonly NewDelivery[]) {
  const rows = deliveries.map(valuesOf);
  const arrays = columns.map((column, index) => {
    const values = rows.map((row) => row[index]);
    const number = column === 'body_bytes' || column === 'received_at';
    return number ? sql`${values}::bigint[]` : sql`${values}::text[]`;
  });
  return sql`unnest(${sql.join(arrays)}) as given(${names})`;
}
