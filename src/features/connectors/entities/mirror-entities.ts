import { createHash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { kindOf, recordPath } from '../../mirror/format/record-kind.ts';
import type { ChangeClass } from '../../mirror/mirror-change.ts';
import type { EntityId } from '../port.ts';
import { saveAssets } from './asset-rows.ts';
import type { Facts, RenderedEntity } from './entity.ts';
import { printLists } from './entity-lists.ts';
import {
  deleteRows,
  type EntityStore,
  entitiesAsking,
  keyOf,
  readEntities,
  type StoredEntity,
  saveParts,
  writeEntities,
} from './entity-store.ts';
import { linkTables, listsOfMentions, parseLinks, type StoredLinks, saveLinks } from './link-targets.ts';
import { type Draft, printDrafts, queueFiles, settleConsequences } from './print-files.ts';
import type { EntityRow } from './tables.ts';

/**
 * Queues the files of entities that changed, and the deletion of the paths that they leave, in the transaction of the
 * store. Entities that refer to them get new links. All of them are marked as seen. Of several states of one entity,
 * the last one counts. Returns the entities that are in scope by other facts than before.
 */
export async function mirrorEntities(
  store: EntityStore,
  rendered: readonly RenderedEntity[],
  changeClass: ChangeClass,
): Promise<readonly EntityId[]> {
  const entities = [...new Map(rendered.map((entity) => [keyOf(entity), entity])).values()];
  if (entities.length === 0) return [];
  const stored = await readEntities(store, entities);
  const states = entities.map((entity) => stateOf(store, entity, stored.get(keyOf(entity))));
  await saveParts(store, entities);
  const placed = await placeEntities(store, states);
  const drafts = states.flatMap(({ key, entity, links, former }): Draft[] => {
    const path = placed.get(key);
    if (!('record' in entity.content) || path === undefined) return [];
    const { record } = entity.content;
    return [{ entity, record, links, path, hasAssets: entity.assets.length > 0, former }];
  });
  const moved = drafts.filter(({ path, former }) => former?.path !== path);
  const changed = states.filter(({ entity, former }) => former?.updated_at !== entity.updatedAt);
  const left = await saveAssets(store, entities, {
    moved: new Set(moved.map(({ entity }) => keyOf(entity))),
    changed: new Set(changed.map(({ key }) => key)),
  });
  const { names, lists: mentioned } = await replaceLinks(store, states);
  const { changes, hashes } = await printDrafts(store, drafts);
  const rows = states.map((state) => rowOf(store, state, placed, hashes));
  await writeEntities(store.tx, rows);
  const lists = await printLists(store, [...changedLists(states), ...mentioned]);
  await queueFiles(store, [...left, ...changes, ...lists], changeClass);
  const renamed = [...names, ...moved.flatMap(({ links }) => links.names)];
  const freed = moved.flatMap(({ former: before }) => before?.path?.toLowerCase() ?? []);
  await settleConsequences(store, { names: renamed, freed }, changeClass);
  return states.filter(isRescoped).map(({ entity }) => entity);
}

/** The time of a change, which is one of the facts of some entities, decides about no other entity. */
function isRescoped({ entity: { facts = {} }, former }: State): boolean {
  if (former?.facts == null) return false;
  const { updatedAt: _before, ...before } = JSON.parse(former.facts) as Facts;
  const { updatedAt: _now, ...now } = facts;
  return JSON.stringify(before) !== JSON.stringify(now);
}

/** A rendered entity with what is stored of it, and with texts that several steps need. */
interface State {
  readonly key: string;
  readonly entity: RenderedEntity;
  readonly former: StoredEntity | undefined;
  readonly links: StoredLinks;
  /** `links` as the row has them. */
  readonly linksText: string;
  /** The path that its record asks for; `undefined` for an item of a list. */
  readonly wanted: string | undefined;
}

function stateOf({ records }: EntityStore, entity: RenderedEntity, former: StoredEntity | undefined): State {
  const { origin, content } = entity;
  const links = { origin, ...entity.links };
  const wanted =
    'record' in content ? recordPath(kindOf(records.kinds, content.record.type), content.record) : undefined;
  return { key: keyOf(entity), entity, former, links, linksText: JSON.stringify(links), wanted };
}

/** Saves names and references that changed. Returns names that may lead elsewhere now, and lists with other items. */
async function replaceLinks(store: EntityStore, states: readonly State[]) {
  const changed = states.filter(({ former, linksText }) => former?.links !== linksText);
  const known = changed.flatMap(({ former }) => former ?? []);
  const links = [...known.map((row) => parseLinks(row.links)), ...changed.map((state) => state.links)];
  const mentions = links.flatMap((each) => each.mentions ?? []);
  const present = changed.map(({ entity }) => entity);
  const lists = await listsOfMentions(store, mentions, async () => {
    await deleteRows(store, linkTables, known);
    await saveLinks(store, present);
  });
  return { names: links.flatMap(({ names }) => names), lists };
}

function rowOf(
  store: EntityStore,
  { key, entity, linksText, wanted }: State,
  placed: ReadonlyMap<string, string>,
  hashes: ReadonlyMap<string, string>,
): Insertable<EntityRow> {
  const { kind, id, parent, updatedAt, facts = {}, content } = entity;
  const path = placed.get(key) ?? null;
  return {
    connection_id: store.connectionId,
    kind,
    id,
    parent_kind: parent?.kind ?? null,
    parent_id: parent?.id ?? null,
    path,
    wanted_path: wanted?.toLowerCase() ?? null,
    hash: hashes.get(key) ?? null,
    updated_at: updatedAt,
    facts: JSON.stringify(facts),
    links: linksText,
    record: 'record' in content && mayChange(entity, path !== wanted) ? JSON.stringify(content.record) : null,
    list: 'list' in content ? content.list : null,
    item: 'list' in content ? JSON.stringify(content.item) : null,
    seen_at: store.now,
  };
}

/** The record is needed when what it refers to is moved, or when a path becomes free that it asks for. */
function mayChange({ links, assets }: RenderedEntity, isMisplaced: boolean): boolean {
  return links.references.length > 0 || assets.length > 0 || isMisplaced;
}

function changedLists(states: readonly State[]): readonly string[] {
  return states.flatMap(({ entity: { content }, former }) => {
    if (!('list' in content)) return [];
    return former?.item === JSON.stringify(content.item) ? [] : [content.list];
  });
}

/**
 * Returns the path of each entity by `keyOf`. Of two entities that ask for one path, or for two that differ only in
 * case, the one that has it keeps it; the other gets a suffix made from its id.
 */
async function placeEntities(
  store: EntityStore,
  states: readonly State[],
): Promise<ReadonlyMap<string, string>> {
  const asked = states.flatMap(({ wanted }) => wanted?.toLowerCase() ?? []);
  const asking = await entitiesAsking(store, asked).execute();
  const moved = new Set(states.filter(({ wanted, former }) => former?.path !== wanted).map(({ key }) => key));
  const holders = asking.filter(
    (row) => row.path?.toLowerCase() === row.wanted_path && !moved.has(keyOf(row)),
  );
  const taken = new Map(holders.map((row) => [row.wanted_path ?? '', keyOf(row)]));
  const placed = new Map<string, string>();
  for (const { key, entity, wanted } of states) {
    if (wanted === undefined) continue;
    const place = wanted.toLowerCase();
    const holder = taken.get(place);
    if (holder === undefined) taken.set(place, key);
    placed.set(key, holder === undefined || holder === key ? wanted : suffixed(wanted, entity));
  }
  return placed;
}

const suffixLength = 8;

function suffixed(path: string, entity: EntityId): string {
  const hash = createHash('sha256').update(keyOf(entity).toWellFormed()).digest('hex').slice(0, suffixLength);
  return path.replace(/(\.[a-z]+)$/u, `-${hash}$1`);
}
