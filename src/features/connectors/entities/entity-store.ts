import { type Insertable, type Selectable, sql } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';
import { dialectOf, forUpdate } from '../../../foundation/db/dialect.ts';
import { givenRows, givenValues } from '../../../foundation/db/given-rows.ts';
import { fromNewRow, preparedInsert } from '../../../foundation/db/prepared-insert.ts';
import { readQueueTime } from '../../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';
import type { ConnectionId, MirrorTargetId } from '../../../foundation/kernel/ids.ts';
import { rebuildOf } from '../../mirror/file-store.ts';
import type { ConnectorRecords } from '../../mirror/format/record-kind.ts';
import type { EntityId } from '../port.ts';
import type { RenderedEntity } from './entity.ts';
import type { EntityRow } from './tables.ts';

/** The mirrored entities of one connection, locked by one transaction. */
export interface EntityStore {
  readonly tx: Queries;
  readonly connectionId: ConnectionId;
  readonly targetId: MirrorTargetId;
  readonly records: ConnectorRecords;
  /** True while all files of the connection are being written again. */
  readonly isRebuilding: boolean;
  /** Time of the transaction, by the clock of the queue. */
  readonly now: number;
}

/**
 * Locks what a connection mirrors until the transaction ends, so that jobs of one connection change it one at a time.
 * Returns `undefined` if the connection was removed or has no context repository. For jobs only; requests must not use
 * it, because it takes no organization.
 */
export async function openEntityStore(
  tx: Queries,
  { connectionId, records }: Pick<EntityStore, 'connectionId' | 'records'>,
): Promise<EntityStore | undefined> {
  const connection = await tx
    .selectFrom('connections')
    .select('target_id')
    .where('id', '=', connectionId)
    .executeTakeFirst();
  if (connection?.target_id == null) return undefined;
  await tx
    .insertInto('entity_stores')
    .values({ connection_id: connectionId })
    .onConflict((conflict) => conflict.column('connection_id').doNothing())
    .execute();
  await forUpdate(
    tx,
    tx.selectFrom('entity_stores').select('connection_id').where('connection_id', '=', connectionId),
  ).execute();
  const targetId = connection.target_id as MirrorTargetId;
  const now = await readQueueTime(tx, systemClock);
  const isRebuilding = (await rebuildOf(tx, connectionId)) !== undefined;
  return { tx, connectionId, targetId, records, isRebuilding, now };
}

export type StoredEntity = Selectable<EntityRow>;

/** Returns a key that is equal for equal ids. */
export function keyOf({ kind, id }: EntityId): string {
  return `${kind} ${id}`;
}

/** The hash of a file that is on the branch with a content that is not known, because a rebuild began. */
export const unknownHash = '';

/** Returns the condition that the row of a connection is of one of some entities, which it names in `columns`. */
export function isOneOfEntities(
  { tx, connectionId }: Pick<EntityStore, 'tx' | 'connectionId'>,
  entities: readonly EntityId[],
  columns: 'kind, id' | 'parent_kind, parent_id' = 'kind, id',
) {
  const given = givenRows(dialectOf(tx), { kind: 'text', id: 'text' }, entities);
  const names = sql.raw(columns);
  return sql<boolean>`connection_id = ${connectionId} and (${names}) in (select given.kind, given.id from ${given})`;
}

/** Returns the query of the entities of a connection. */
export function entitiesIn({ tx, connectionId }: Pick<EntityStore, 'tx' | 'connectionId'>) {
  return tx.selectFrom('entities').where('connection_id', '=', connectionId);
}

/** Returns the stored entities by `keyOf`. */
export async function readEntities(
  store: Pick<EntityStore, 'tx' | 'connectionId'>,
  ids: readonly EntityId[],
): Promise<ReadonlyMap<string, StoredEntity>> {
  if (ids.length === 0) return new Map();
  const rows = await store.tx.selectFrom('entities').selectAll().where(isOneOfEntities(store, ids)).execute();
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Returns the query of the entities whose records ask for one of the paths, which are in lower case. */
export function entitiesAsking(store: EntityStore, paths: readonly string[]) {
  return entitiesIn(store)
    .selectAll()
    .where('wanted_path', 'in', givenValues(dialectOf(store.tx), paths));
}

async function updateEntities(
  store: EntityStore,
  ids: readonly EntityId[],
  values: Partial<Pick<EntityRow, 'updated_at' | 'seen_at'>>,
): Promise<void> {
  if (ids.length === 0) return;
  await store.tx.updateTable('entities').set(values).where(isOneOfEntities(store, ids)).execute();
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

export function parentOf(row: Pick<StoredEntity, 'parent_kind' | 'parent_id'>): EntityId | undefined {
  const { parent_kind: kind, parent_id: id } = row;
  return kind === null || id === null ? undefined : { kind, id };
}

/** Saves which entities are part of the files of others, and forgets those that no longer are. */
export async function saveParts(store: EntityStore, entities: readonly RenderedEntity[]): Promise<void> {
  const children = await readChildren(store, entities);
  const known = new Map(children.filter(isPart).map((row) => [keyOf(row), row]));
  const wanted = new Map(
    entities.flatMap((entity) =>
      entity.parts.map((part) => [keyOf(part), rowOfPart(store, part, entity)] as const),
    ),
  );
  const added = [...wanted.values()].filter((row) => {
    const stored = known.get(keyOf(row));
    return (['parent_kind', 'parent_id', 'updated_at'] as const).some((each) => stored?.[each] !== row[each]);
  });
  await writeEntities(store.tx, added);
  const gone = [...known.values()].filter((row) => !wanted.has(keyOf(row)));
  await deleteRows(store, ['entities'], gone);
}

type Part = RenderedEntity['parts'][number];

function rowOfPart(store: EntityStore, { kind, id, updatedAt }: Part, parent: EntityId) {
  const own = { connection_id: store.connectionId, seen_at: store.now, updated_at: updatedAt ?? null };
  return { ...own, kind, id, parent_kind: parent.kind, parent_id: parent.id };
}

/** Returns whether an entity is a part of the file of its parent. */
function isPart({ path, list }: StoredEntity): boolean {
  return path === null && list === null;
}

/** Returns the entities that are deleted with one of the given ones. */
export async function readChildren(
  store: EntityStore,
  parents: readonly EntityId[],
): Promise<readonly StoredEntity[]> {
  if (parents.length === 0) return [];
  const isChild = isOneOfEntities(store, parents, 'parent_kind, parent_id');
  const query = store.tx.selectFrom('entities').selectAll().where(isChild);
  // The index has no others, which SQLite does not conclude from a pair.
  return query.where('parent_id', 'is not', null).execute();
}

/** Deletes the rows of entities in tables. */
export async function deleteRows(
  store: EntityStore,
  tables: readonly ('entities' | 'entity_names' | 'entity_references')[],
  entities: readonly EntityId[],
): Promise<void> {
  if (entities.length === 0) return;
  for (const table of tables)
    await store.tx.deleteFrom(table).where(isOneOfEntities(store, entities)).execute();
}
