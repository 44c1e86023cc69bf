import type { ChangeClass } from '../../mirror/mirror-change.ts';
import type { EntityId } from '../port.ts';
import { forgetAssets } from './asset-rows.ts';
import type { Facts } from './entity.ts';
import { printLists } from './entity-lists.ts';
import {
  deleteRows,
  type EntityStore,
  entitiesIn,
  keyOf,
  readChildren,
  readEntities,
  type StoredEntity,
} from './entity-store.ts';
import { linkTables, listsOfMentions, parseLinks } from './link-targets.ts';
import { queueFiles, settleConsequences } from './print-files.ts';

/**
 * Deletes the files of entities, their assets, and everything that has one of them as its parent. Ignores what is not
 * mirrored.
 */
export async function forgetEntities(
  store: EntityStore,
  entities: readonly EntityId[],
  changeClass: ChangeClass,
): Promise<void> {
  const rows = await withDescendants(store, [...(await readEntities(store, entities)).values()]);
  if (rows.length === 0) return;
  const copies = await forgetAssets(store, rows);
  const links = rows.map((row) => parseLinks(row.links));
  const mentions = links.flatMap((each) => each.mentions ?? []);
  const mentioned = await listsOfMentions(store, mentions, () => deleteRows(store, linkTables, rows));
  await deleteRows(store, ['entities'], rows);
  const files = rows.flatMap(({ path, links: text }) =>
    path === null ? [] : { path, content: null, origin: parseLinks(text).origin },
  );
  const lists = await printLists(store, [...rows.flatMap(({ list }) => list ?? []), ...mentioned]);
  await queueFiles(store, [...copies, ...files, ...lists], changeClass);
  const names = links.flatMap((each) => each.names);
  const freed = rows.flatMap(({ path }) => path?.toLowerCase() ?? []);
  await settleConsequences(store, { names, freed }, changeClass);
}

async function withDescendants(
  store: EntityStore,
  entities: readonly StoredEntity[],
): Promise<readonly StoredEntity[]> {
  const all = new Map(entities.map((row) => [keyOf(row), row]));
  let parents = entities;
  while (parents.length > 0) {
    const children = await readChildren(store, parents);
    parents = children.filter((row) => !all.has(keyOf(row)));
    for (const row of parents) all.set(keyOf(row), row);
  }
  return [...all.values()];
}

/**
 * Returns up to `limit` entities of a kind that were not seen since `before`, the `now` of an earlier store, with what
 * they are part of: all or none are parts of the files of others.
 */
export function unseenEntities(
  store: Pick<EntityStore, 'tx' | 'connectionId'>,
  { kind, before, limit }: { readonly kind: string; readonly before: number; readonly limit: number },
) {
  return entitiesIn(store)
    .select(['id', 'parent_kind', 'parent_id'])
    .where('kind', '=', kind)
    .where('seen_at', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** An entity as a scope sees it. */
export interface ScopedEntity extends EntityId {
  readonly facts: Facts;
}

/** Maximum number of entities whose scope one transaction evaluates again. */
const scopePage = 500;

/** Deletes the entities of a page that are out of scope. Returns where the next page starts; `undefined` at the end. */
export async function applyScope(
  store: EntityStore,
  isInScope: (entity: ScopedEntity) => boolean,
  after: EntityId | undefined,
  limit = scopePage,
): Promise<EntityId | undefined> {
  const ordered = entitiesIn(store).select(['kind', 'id', 'facts']).orderBy('kind').orderBy('id');
  let query = ordered.where('facts', 'is not', null).limit(limit);
  if (after !== undefined) {
    const { kind, id } = after;
    query = query.where((e) => e.or([e('kind', '>', kind), e.and([e('kind', '=', kind), e('id', '>', id)])]));
  }
  const rows = await query.execute();
  const outside = rows.filter(
    ({ kind, id, facts }) => !isInScope({ kind, id, facts: JSON.parse(facts ?? '{}') }),
  );
  await forgetEntities(store, outside, 'backfill');
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? undefined : { kind: last.kind, id: last.id };
}
