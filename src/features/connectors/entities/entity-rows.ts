import { type Insertable, type Selectable, sql } from 'kysely';
import { fromNewRow, preparedInsert } from '../../../foundation/db/prepared-insert.ts';
import type { EntityId } from '../port.ts';
import type { EntityStore } from './open-entity-store.ts';
import type { EntityRow } from './tables.ts';

export type StoredEntity = Selectable<EntityRow>;

/** Maximum number of rows or ids per statement: Postgres takes 65,535 parameters, SQLite 32,766. */
const maxRows = 500;

/** Returns a key that is equal for equal ids. */
export function keyOf({ kind, id }: EntityId): string {
  return `${kind} ${id}`;
}

/** Calls `work` with up to 500 ids of one kind at a time. */
export async function byKind(
  ids: readonly EntityId[],
  work: (kind: string, ids: readonly string[]) => Promise<void>,
): Promise<void> {
  for (const [kind, ofKind] of Map.groupBy(ids, (each) => each.kind)) {
    for (const slice of inSlices(ofKind)) {
      await work(
        kind,
        slice.map(({ id }) => id),
      );
    }
  }
}

/** Returns the items in lists of at most 500. */
export function inSlices<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / maxRows) }, (_, index) =>
    items.slice(index * maxRows, (index + 1) * maxRows),
  );
}

/** The hash of a file that is on the branch with a content that is not known, because a rebuild began. */
export const unknownHash = '';

/** Returns the condition that a row is one of a connection, a kind and some ids. */
export function isOneOf(
  { connectionId }: Pick<EntityStore, 'connectionId'>,
  kind: string,
  ids: readonly string[],
) {
  return sql<boolean>`connection_id = ${connectionId} and kind = ${kind} and id in (${sql.join(ids)})`;
}

/** Returns the stored entities by `keyOf`. */
export async function readEntities(
  store: Pick<EntityStore, 'tx' | 'connectionId'>,
  ids: readonly EntityId[],
): Promise<ReadonlyMap<string, StoredEntity>> {
  const found = new Map<string, StoredEntity>();
  await byKind(ids, async (kind, slice) => {
    const query = store.tx
      .selectFrom('entities')
      .selectAll()
      .where(isOneOf(store, kind, slice));
    for (const row of await query.execute()) found.set(keyOf(row), row);
  });
  return found;
}

/** Changes columns of stored entities. */
async function updateEntities(
  store: EntityStore,
  ids: readonly EntityId[],
  values: Partial<Pick<EntityRow, 'updated_at' | 'seen_at'>>,
): Promise<void> {
  await byKind(ids, async (kind, slice) => {
    await store.tx
      .updateTable('entities')
      .set(values)
      .where(isOneOf(store, kind, slice))
      .execute();
  });
}

/** Forgets the times of entities, so that the next comparison reads them again. */
export function forgetTimes(store: EntityStore, ids: readonly EntityId[]): Promise<void> {
  return updateEntities(store, ids, { updated_at: null });
}

/** Marks entities as seen that were not rendered again. */
export function markSeen(store: EntityStore, ids: readonly EntityId[]): Promise<void> {
  return updateEntities(store, ids, { seen_at: store.now });
}

const keyColumns = ['connection_id', 'kind', 'id'] as const;
const valueColumns = [
  'parent_kind',
  'parent_id',
  'path',
  'wanted_path',
  'hash',
  'updated_at',
  'facts',
  'links',
  'record',
  'list',
  'item',
  'seen_at',
] as const;

/** Saves whole rows. */
export const writeEntities = preparedInsert<Insertable<EntityRow>>(
  [...keyColumns, ...valueColumns],
  (queries, rows) =>
    queries
      .insertInto('entities')
      .values(rows)
      .onConflict((conflict) => conflict.columns(keyColumns).doUpdateSet(fromNewRow(valueColumns))),
);

export function parentOf({
  parent_kind,
  parent_id,
}: Pick<StoredEntity, 'parent_kind' | 'parent_id'>): EntityId | undefined {
  return parent_kind === null || parent_id === null ? undefined : { kind: parent_kind, id: parent_id };
}
