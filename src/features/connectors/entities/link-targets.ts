import { sql } from 'kysely';
import { z } from 'zod';
import { dialectOf } from '../../../foundation/db/dialect.ts';
import { givenRows, givenValues } from '../../../foundation/db/given-rows.ts';
import { parseJsonColumn } from '../../../foundation/db/json-column.ts';
import { preparedInsert } from '../../../foundation/db/prepared-insert.ts';
import type { LinkTarget } from '../../mirror/format/link-records.ts';
import type { EntityId } from '../port.ts';
import { type EntityLinks, entityLinks } from './entity.ts';
import { type EntityStore, keyOf } from './entity-store.ts';
import type { EntityNameRow, EntityReferenceRow } from './tables.ts';

/** The links of an entity as its row has them. */
const storedLinks = entityLinks.extend({ origin: z.string() });
export type StoredLinks = z.output<typeof storedLinks>;

export function parseLinks(text: string | null): StoredLinks {
  return parseJsonColumn(storedLinks, text) ?? { origin: '', label: '', names: [], references: [] };
}

/**
 * Returns the files that names lead to. A current name comes before a former one of another entity. @param placed paths
 * that are not saved yet, by `keyOf`
 */
export async function findTargets(
  { tx, connectionId }: EntityStore,
  names: readonly string[],
  placed: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, LinkTarget>> {
  const targets = new Map<string, LinkTarget>();
  if (names.length === 0) return targets;
  const { rows } = await sql<EntityNameRow & { path: string | null }>`
    select n.*, e.path from entity_names n
    left join entities e on e.connection_id = n.connection_id and e.kind = n.kind and e.id = n.id
    where n.connection_id = ${connectionId} and n.name in ${givenValues(dialectOf(tx), names)}
    order by n.rank, n.kind, n.id`.execute(tx);
  for (const row of rows) {
    const path = placed.get(keyOf(row)) ?? row.path;
    if (path !== null && !targets.has(row.name)) targets.set(row.name, { path, label: row.label });
  }
  return targets;
}

const writeNames = preparedInsert<EntityNameRow>(
  ['connection_id', 'kind', 'id', 'name', 'rank', 'label'],
  (queries, rows) => queries.insertInto('entity_names').values(rows),
);

const writeReferences = preparedInsert<EntityReferenceRow>(
  ['connection_id', 'kind', 'id', 'name'],
  (queries, rows) => queries.insertInto('entity_references').values(rows),
);

type Linked = EntityId & { readonly links: EntityLinks };

/** Saves the names and references of entities. */
export async function saveLinks(
  { tx, connectionId }: EntityStore,
  entities: readonly Linked[],
): Promise<void> {
  const names: EntityNameRow[] = [];
  const references: EntityReferenceRow[] = [];
  for (const { kind, id, links } of entities) {
    const own = { connection_id: connectionId, kind, id };
    const targets = [...links.references.map(({ name }) => name), ...(links.mentions ?? [])];
    for (const [rank, name] of [...new Set(links.names)].entries())
      names.push({ ...own, name, rank, label: links.label });
    for (const name of new Set(targets)) references.push({ ...own, name });
  }
  await writeNames(tx, names);
  await writeReferences(tx, references);
}

/** The tables of the names and references of entities. */
export const linkTables = ['entity_names', 'entity_references'] as const;

/**
 * Runs a change of links. Returns the lists that gain or lose an item by it, because the first entity mentions it now,
 * or the last one no longer does.
 */
export async function listsOfMentions(
  store: EntityStore,
  mentions: readonly string[],
  change: () => Promise<void>,
): Promise<readonly string[]> {
  const names = [...new Set(mentions)];
  const before = await referredNames(store, names);
  await change();
  const after = await referredNames(store, names);
  const changed = names.filter((name) => before.has(name) !== after.has(name));
  return [...new Set(changed.map((name) => name.slice(0, name.indexOf(' '))))];
}

/** Returns those of the names that an entity refers to. */
async function referredNames(
  { tx, connectionId }: EntityStore,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const given = givenRows(
    dialectOf(tx),
    { name: 'text' },
    names.map((name) => ({ name })),
  );
  const { rows } = await sql<{ name: string }>`
    select given.name from ${given} where exists (select 1 from entity_references r
      where r.connection_id = ${connectionId} and r.name = given.name)`.execute(tx);
  return new Set(rows.map(({ name }) => name));
}

/** Returns the entities whose texts refer to one of the names. */
export async function findReferring(
  { tx, connectionId }: EntityStore,
  names: readonly string[],
): Promise<readonly EntityId[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<EntityId>`select kind, id from entity_references
    where connection_id = ${connectionId} and name in ${givenValues(dialectOf(tx), names)}`.execute(tx);
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}
