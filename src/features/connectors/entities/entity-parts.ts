import type { EntityId } from '../port.ts';
import type { RenderedEntity } from './entity.ts';
import { byKind, isOneOf, keyOf, parentOf, type StoredEntity, writeEntities } from './entity-rows.ts';
import type { EntityStore } from './open-entity-store.ts';
import type { EntityRow } from './tables.ts';

/** The columns of an entity without a file. */
const withoutFile = {
  path: null,
  wanted_path: null,
  hash: null,
  updated_at: null,
  facts: null,
  links: null,
  record: null,
  list: null,
  item: null,
} as const satisfies Partial<EntityRow>;

/** Saves which entities are part of the files of others, and forgets those that no longer are. */
export async function saveParts(store: EntityStore, entities: readonly RenderedEntity[]): Promise<void> {
  const children = await readChildren(store, entities);
  const known = new Map(children.filter(isPart).map((row) => [keyOf(row), row]));
  const wanted = new Map(
    entities.flatMap(({ kind, id, parts }) =>
      parts.map((part) => [keyOf(part), { part, parent: { kind, id } }] as const),
    ),
  );
  const added = [...wanted.values()].filter(({ part, parent }) => {
    const row = known.get(keyOf(part));
    const stored = row && parentOf(row);
    return stored === undefined || keyOf(stored) !== keyOf(parent);
  });
  await writeEntities(
    store.tx,
    added.map(({ part, parent }) => ({
      connection_id: store.connectionId,
      kind: part.kind,
      id: part.id,
      parent_kind: parent.kind,
      parent_id: parent.id,
      ...withoutFile,
      seen_at: store.now,
    })),
  );
  await deleteRows(
    store,
    [...known.values()].filter((row) => !wanted.has(keyOf(row))),
  );
}

/** Returns whether an entity is a part of the file of its parent. */
function isPart({ path, list }: StoredEntity): boolean {
  return path === null && list === null;
}

/** Returns the entities that are deleted with one of the given ones. */
export async function readChildren(
  { tx, connectionId }: EntityStore,
  parents: readonly EntityId[],
): Promise<readonly StoredEntity[]> {
  const children: StoredEntity[] = [];
  await byKind(parents, async (kind, ids) => {
    const rows = await tx
      .selectFrom('entities')
      .selectAll()
      .where('connection_id', '=', connectionId)
      .where('parent_kind', '=', kind)
      .where('parent_id', 'in', ids)
      .execute();
    children.push(...rows);
  });
  return children;
}

export async function deleteRows(store: EntityStore, entities: readonly EntityId[]): Promise<void> {
  await byKind(entities, async (kind, ids) => {
    await store.tx
      .deleteFrom('entities')
      .where(isOneOf(store, kind, ids))
      .execute();
  });
}
