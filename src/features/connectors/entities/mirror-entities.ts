import type { Insertable } from 'kysely';
import { recordPath } from '../../mirror/format/record-path.ts';
import type { ChangeClass } from '../../mirror/mirror-change.ts';
import { saveAssets } from './asset-rows.ts';
import type { EntityContent, RenderedEntity } from './entity.ts';
import { printLists } from './entity-lists.ts';
import { saveParts } from './entity-parts.ts';
import { byKind, keyOf, readEntities, type StoredEntity, writeEntities } from './entity-rows.ts';
import { deleteLinks, parseLinks, type StoredLinks, saveLinks } from './link-targets.ts';
import type { EntityStore } from './open-entity-store.ts';
import { type Placement, placeEntities } from './place-entities.ts';
import { type Draft, printDrafts } from './print-drafts.ts';
import { queueFiles, settleConsequences } from './reprint-entities.ts';
import type { EntityRow } from './tables.ts';

/**
 * Queues the files of entities that changed, and the deletion of the paths that they leave, in the transaction of the
 * store. Entities that refer to them get new links. All of them are marked as seen. Of several states of one entity,
 * the last one counts.
 */
export async function mirrorEntities(
  store: EntityStore,
  rendered: readonly RenderedEntity[],
  changeClass: ChangeClass,
): Promise<void> {
  const entities = [...new Map(rendered.map((entity) => [keyOf(entity), entity])).values()];
  if (entities.length === 0) return;
  const former = await readEntities(store, entities);
  await saveParts(store, entities);
  const placed = await placeEntities(store, placementsOf(entities, former));
  const drafts = entities.flatMap((entity) => draftOf(entity, placed, former) ?? []);
  const moved = drafts.filter(({ path, former: before }) => before?.path !== path);
  const left = await saveAssets(store, entities, {
    moved: new Set(moved.map(({ entity }) => keyOf(entity))),
    changed: new Set(entities.filter((entity) => isChanged(entity, former)).map(keyOf)),
  });
  const names = await replaceLinks(store, entities, former);
  const { changes, hashes } = await printDrafts(store, drafts);
  await writeEntities(
    store.tx,
    entities.map((entity) => rowOf(store, entity, placed, hashes)),
  );
  const lists = await printLists(store, changedLists(entities, former));
  await queueFiles(store, [...left, ...changes, ...lists], changeClass);
  const consequences = {
    names: [...names, ...moved.flatMap(({ links }) => links.names)],
    freed: moved.flatMap(({ former: before }) => before?.path?.toLowerCase() ?? []),
  };
  await settleConsequences(store, consequences, changeClass);
}

function isChanged(entity: RenderedEntity, former: ReadonlyMap<string, StoredEntity>): boolean {
  return former.get(keyOf(entity))?.updated_at !== entity.updatedAt;
}

function placementsOf(
  entities: readonly RenderedEntity[],
  former: ReadonlyMap<string, StoredEntity>,
): readonly Placement[] {
  return entities.flatMap((entity) => {
    if (!('record' in entity.content)) return [];
    const path = former.get(keyOf(entity))?.path ?? undefined;
    return [{ entity, wanted: recordPath(entity.content.record), former: path }];
  });
}

function draftOf(
  entity: RenderedEntity,
  placed: ReadonlyMap<string, string>,
  former: ReadonlyMap<string, StoredEntity>,
): Draft | undefined {
  const path = placed.get(keyOf(entity));
  if (!('record' in entity.content) || path === undefined) return undefined;
  return {
    entity,
    record: entity.content.record,
    links: linksOf(entity),
    path,
    hasAssets: entity.assets.length > 0,
    former: former.get(keyOf(entity)),
  };
}

function linksOf({ links, origin }: RenderedEntity): StoredLinks {
  const { label, names, references } = links;
  return { origin, label, names, references };
}

/** Saves the names and references that changed. Returns the names that may lead elsewhere than before. */
async function replaceLinks(
  store: EntityStore,
  entities: readonly RenderedEntity[],
  former: ReadonlyMap<string, StoredEntity>,
): Promise<readonly string[]> {
  const changed = entities.filter((entity) => {
    return former.get(keyOf(entity))?.links !== JSON.stringify(linksOf(entity));
  });
  const known = changed.filter((entity) => former.has(keyOf(entity)));
  await byKind(known, (kind, ids) => deleteLinks(store, kind, ids));
  await saveLinks(store, changed);
  const before = known.flatMap((entity) => parseLinks(former.get(keyOf(entity))?.links ?? null).names);
  return [...before, ...changed.flatMap(({ links }) => links.names)];
}

function rowOf(
  store: EntityStore,
  entity: RenderedEntity,
  placed: ReadonlyMap<string, string>,
  hashes: ReadonlyMap<string, string>,
): Insertable<EntityRow> {
  const { kind, id, parent, updatedAt, facts = {}, content } = entity;
  const key = keyOf(entity);
  return {
    connection_id: store.connectionId,
    kind,
    id,
    parent_kind: parent?.kind ?? null,
    parent_id: parent?.id ?? null,
    hash: hashes.get(key) ?? null,
    updated_at: updatedAt,
    facts: JSON.stringify(facts),
    links: JSON.stringify(linksOf(entity)),
    ...contentColumns(entity, content, placed.get(key) ?? null),
    seen_at: store.now,
  };
}

function contentColumns(
  { links, assets }: RenderedEntity,
  content: EntityContent,
  path: string | null,
): Pick<EntityRow, 'path' | 'wanted_path' | 'record' | 'list' | 'item'> {
  if ('list' in content) {
    const { list, item } = content;
    return { path, wanted_path: null, record: null, list, item: JSON.stringify(item) };
  }
  const wanted = recordPath(content.record);
  // The record is needed when what it refers to is moved, or when a path becomes free that it asks for.
  const mayChange = links.references.length > 0 || assets.length > 0 || path !== wanted;
  const record = mayChange ? JSON.stringify(content.record) : null;
  return { path, wanted_path: wanted.toLowerCase(), record, list: null, item: null };
}

function changedLists(
  entities: readonly RenderedEntity[],
  former: ReadonlyMap<string, StoredEntity>,
): readonly string[] {
  return entities.flatMap((entity) => {
    if (!('list' in entity.content)) return [];
    const isSame = former.get(keyOf(entity))?.item === JSON.stringify(entity.content.item);
    return isSame ? [] : [entity.content.list];
  });
}
