import { sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import { foldName, nodeTerms } from '../name-terms.ts';
import { originOfKey } from '../port.ts';
import type { BatchChanges, NodeContent } from './batch-changes.ts';
import { type Difference, deleteRows, putRows, rowTables } from './batch-rows.ts';
import { type GraphQueries, givenIds } from './graph-tables.ts';
import { nodeNumberOfKey } from './kind-numbers.ts';
import { mergeFacts } from './merge-facts.ts';
import { type NodeRow, nodeColumns, nodesWithTexts } from './node-rows.ts';
import { type PackedNode, packNode, splitKey, textHash, unpackNode } from './packed-text.ts';
import type { GraphFactRow } from './tables.ts';

/**
 * Returns the numbers of the keys, whose beginnings were added, and adds the nodes that have none, with what the given
 * facts say of them.
 */
export async function internKeys(
  graph: GraphQueries,
  keys: ReadonlySet<string>,
  facts: readonly (PackedNode & { readonly key: string })[],
  changes: BatchChanges,
): Promise<ReadonlyMap<string, number>> {
  const { queries, dialect, tables } = graph;
  const split = [...keys].toSorted().map((key) => ({ key, split: splitKey(key) }));
  const placed = split.map(({ key, split: [prefix, rest] }) => ({
    key,
    prefix: changes.texts.id(prefix),
    hash: textHash(rest),
    rest,
  }));
  // Other nodes of these places do no harm.
  const places = new Map(placed.map(({ prefix, hash }) => [`${prefix} ${hash}`, { prefix, hash }]));
  const { rows: known } = await sql<PlacedRow>`
    select node.id, node.prefix, node.rest
    from ${givenRows(dialect, { prefix: 'bigint', hash: 'bigint' }, [...places.values()])}
    cross join ${tables.nodes} as node
    where node.prefix = given.prefix and node.hash = given.hash`.execute(queries);
  const byKey = Map.groupBy(facts, ({ key }) => key);
  const ids = idsByPlace(known);
  const missing = placed
    .filter((place) => !ids.has(placeOf(place)))
    .map((place) => ({ ...place, merged: mergePacked(place.key, byKey.get(place.key) ?? []) }));
  for (const [place, id] of await addNodes(graph, missing, changes)) ids.set(place, id);
  return new Map(placed.map((place) => [place.key, ids.get(placeOf(place)) ?? 0]));
}

const placeTypes = { prefix: 'bigint', hash: 'bigint', rest: 'text' } as const;

interface PlacedRow {
  readonly id: number;
  readonly prefix: number;
  readonly rest: string;
}

function placeOf({ prefix, rest }: Pick<PlacedRow, 'prefix' | 'rest'>): string {
  return `${prefix} ${rest}`;
}

function idsByPlace(rows: readonly PlacedRow[]): Map<string, number> {
  return new Map(rows.map((row) => [placeOf(row), row.id]));
}

interface MergedNode {
  readonly key: string;
  readonly merged: PackedNode | undefined;
}

function mergePacked(key: string, facts: readonly PackedNode[]): PackedNode | undefined {
  const [first, ...others] = new Map(facts.map((fact) => [`${fact.shape}\n${fact.content}`, fact])).values();
  if (first === undefined || others.length === 0) return first;
  const merged = mergeFacts([first, ...others].map((fact) => unpackNode(key, fact)));
  return merged && packNode(key, merged);
}

async function addNodes(
  graph: GraphQueries,
  nodes: readonly (MergedNode & { readonly prefix: number; readonly hash: number; readonly rest: string })[],
  changes: BatchChanges,
): Promise<ReadonlyMap<string, number>> {
  if (nodes.length === 0) return new Map();
  const { queries, dialect, tables } = graph;
  const { texts, organization } = changes;
  await texts.add(nodes.flatMap(({ key, merged }) => [originOfKey(key) ?? [], merged?.shape ?? []].flat()));
  const rows = nodes.map(({ key, prefix, hash, rest, merged }) => {
    const origin = originOfKey(key);
    const place = { prefix, hash, rest, origin: origin === undefined ? null : texts.id(origin) };
    return { ...place, ...assertedColumns(key, merged, changes) };
  });
  const types = { ...placeTypes, origin: 'bigint', ...assertedTypes } as const;
  const isPostgres = dialect === 'postgres';
  const { rows: added } = await sql<PlacedRow>`
    insert into ${tables.nodes}
      (org, prefix, hash, rest, origin, kind, folded, shape, content${isPostgres ? sql`, terms` : sql``})
    select ${sql.lit(organization)}, given.prefix, given.hash, given.rest, given.origin, given.kind,
      given.folded, given.shape, given.content${isPostgres ? sql`, ${postgresTerms}` : sql``}
    from ${givenRows(dialect, types, rows)} where true
    returning id, prefix, rest`.execute(queries);
  const ids = idsByPlace(added);
  const numbered = rows.map((row) => ({ ...row, id: ids.get(placeOf(row)) ?? 0 }));
  for (const { id, prefix, origin, shape, content } of numbered) {
    for (const text of [prefix, origin, shape]) texts.count(text, 1);
    changes.nodes.add(id);
    changes.added.set(id, { shape, content });
  }
  if (!isPostgres) await changeTerms(graph, numbered);
  return ids;
}

/** Adds names to the index of SQLite, or removes them, which takes their terms again: it does not store them. */
async function changeTerms(
  { queries, dialect, tables }: GraphQueries,
  nodes: readonly { readonly id: number; readonly terms: string | null }[],
  isRemoved = false,
): Promise<void> {
  const named = nodes.filter(({ terms }) => terms !== null).map(({ id, terms }) => ({ id, terms }));
  if (named.length === 0) return;
  const [column, command] = isRemoved ? [sql`${sql.raw('graph_terms')}, `, sql`'delete', `] : [sql``, sql``];
  await sql`
    insert into ${tables.terms} (${column}rowid, terms)
    select ${command}id, terms from ${givenRows(dialect, { id: 'bigint', terms: 'text' }, named)}`.execute(
    queries,
  );
}

const assertedTypes = {
  kind: 'bigint',
  folded: 'text',
  shape: 'bigint',
  content: 'text',
  terms: 'text',
} as const;

const postgresTerms = sql`array_to_tsvector(string_to_array(given.terms, ' '))`;

/** Returns the columns of a node that depend on its facts, whose shape was added; null if nobody asserts it. */
function assertedColumns(
  key: string,
  merged: PackedNode | undefined,
  { texts, organizationId }: BatchChanges,
) {
  if (merged === undefined) return { kind: null, folded: null, shape: null, content: null, terms: null };
  const { shape, content } = merged;
  const { name } = unpackNode(key, merged);
  return {
    kind: nodeNumberOfKey(key),
    folded: foldName(name),
    shape: texts.id(shape),
    content,
    terms: nodeTerms(organizationId, key, name),
  };
}

/** A fact with its content, also if that is not stored because it is equal to the node; `stored` is its shape then. */
export type FactRow = GraphFactRow & {
  readonly shape: number;
  readonly content: string;
  readonly stored: number | null;
};

const factColumns = sql.raw(`fact.unit_id, fact.node_id, coalesce(fact.shape, node.shape) as shape,
  coalesce(fact.content, node.content) as content, fact.shape as stored`);

/** Reads the facts of units, or those about nodes. */
export async function readFacts(
  { queries, dialect, tables }: GraphQueries,
  of: 'unit_id' | 'node_id',
  ids: readonly number[],
): Promise<FactRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<FactRow>`
    select ${factColumns} from ${givenIds(dialect, ids)} cross join ${tables.node_facts} as fact
    cross join ${tables.nodes} as node
    where fact.${sql.ref(of)} = given.id and node.id = fact.node_id`.execute(queries);
  return rows;
}

/** Writes changed facts, and merges the nodes that they are about. */
export async function changeFacts(
  graph: GraphQueries,
  { removed, written, replaced }: Difference<FactRow>,
  changes: BatchChanges,
): Promise<void> {
  const gone = [...removed, ...replaced];
  await deleteRows(graph, rowTables.facts, gone);
  for (const { stored } of gone) changes.texts.count(stored, -1);
  for (const { node_id } of removed) changes.released.add(node_id);
  const touched = [...gone, ...written].map(({ node_id }) => node_id).filter((id) => !changes.added.has(id));
  const merged = await mergeNodes(graph, gone, written, [...new Set(touched)], changes);
  await putFacts(graph, written, (id) => merged.get(id) ?? changes.added.get(id), changes);
}

/** Writes facts, without the content of those that are equal to their node. */
async function putFacts(
  graph: GraphQueries,
  facts: readonly FactRow[],
  contentOf: (node: number) => NodeContent | undefined,
  { texts }: BatchChanges,
): Promise<void> {
  const rows = facts.map((fact) =>
    isSame(contentOf(fact.node_id), fact) ? { ...fact, shape: null, content: null } : fact,
  );
  for (const { shape, stored } of rows) {
    texts.count(shape, 1);
    texts.count(stored, -1);
  }
  await putRows(graph, rowTables.facts, rows);
}

function isSame(a: NodeContent | undefined, b: NodeContent): boolean {
  return a?.shape === b.shape && a.content === b.content;
}

type CurrentNode = NodeRow & { readonly shape_id: number | null };

interface ChangedNode extends MergedNode {
  readonly before: CurrentNode;
}

/** Merges known nodes from their facts, of which `written` are not stored yet. Returns what they contain now. */
async function mergeNodes(
  graph: GraphQueries,
  gone: readonly FactRow[],
  written: readonly FactRow[],
  ids: readonly number[],
  changes: BatchChanges,
): Promise<ReadonlyMap<number, NodeContent>> {
  if (ids.length === 0) return new Map();
  const { rows: current } = await sql<CurrentNode>`
    select ${nodeColumns}, node.shape as shape_id
    from ${givenIds(graph.dialect, ids)} cross join ${nodesWithTexts(graph.tables)}
    where node.id = given.id and prefix.id = node.prefix`.execute(graph.queries);
  const contents = new Map<number, NodeContent>(
    current.map(({ id, shape_id, content }) => [id, { shape: shape_id, content }]),
  );
  const reduced = new Set(gone.map(({ node_id }) => node_id));
  const added = Map.groupBy(written, ({ node_id }) => node_id);
  // A person or label is asserted by thousands of units: a fact that adds nothing must not read all others.
  const unsure = current.filter(
    ({ id }) => reduced.has(id) || !(added.get(id) ?? []).every((fact) => isSame(contents.get(id), fact)),
  );
  const facts = await readContents(
    graph,
    unsure.map(({ id }) => id),
    written,
  );
  const changed = unsure.flatMap((before): ChangedNode[] => {
    const key = before.prefix + before.rest;
    const merged = mergePacked(key, facts.get(before.id) ?? []);
    const isChanged =
      merged?.shape !== (before.shape ?? undefined) || merged?.content !== (before.content ?? undefined);
    return isChanged ? [{ key, before, merged }] : [];
  });
  if (changed.length === 0) return contents;
  // A fact that is equal to its node now may differ from it afterwards, and the reverse.
  const stored = await readFacts(
    graph,
    'node_id',
    changed.map(({ before }) => before.id),
  );
  for (const { id, shape, content } of await updateNodes(graph, changed, changes))
    contents.set(id, { shape, content });
  const isStale = (fact: FactRow) => isSame(contents.get(fact.node_id), fact) === (fact.stored !== null);
  await putFacts(graph, stored.filter(isStale), (id) => contents.get(id), changes);
  return contents;
}

/** Returns the different contents of the facts about nodes, of stored ones and others. */
async function readContents(
  { queries, dialect, tables }: GraphQueries,
  ids: readonly number[],
  others: readonly FactRow[],
): Promise<ReadonlyMap<number, readonly PackedNode[]>> {
  if (ids.length === 0) return new Map();
  const own = new Set(ids);
  const rows = others
    .filter(({ node_id }) => own.has(node_id))
    .map(({ node_id, shape, content }) => ({ node_id, shape, content }));
  const columns = { node_id: 'bigint', shape: 'bigint', content: 'text' } as const;
  const { rows: facts } = await sql<PackedNode & { node_id: number }>`
    select fact.node_id, shared.text as shape, fact.content from (
      select fact.node_id, coalesce(fact.shape, node.shape) as shape, coalesce(fact.content, node.content) as content
      from ${givenIds(dialect, ids)} cross join ${tables.node_facts} as fact cross join ${tables.nodes} as node
      where fact.node_id = given.id and node.id = fact.node_id
      union select node_id, shape, content from ${givenRows(dialect, columns, rows)}) as fact
    cross join ${tables.texts} as shared where shared.id = fact.shape`.execute(queries);
  return Map.groupBy(facts, ({ node_id }) => node_id);
}

/** Writes nodes as they are merged now, and returns their columns. */
async function updateNodes(graph: GraphQueries, nodes: readonly ChangedNode[], changes: BatchChanges) {
  const { queries, dialect, tables } = graph;
  const { texts, organizationId } = changes;
  await texts.add(nodes.flatMap(({ merged }) => merged?.shape ?? []));
  const rows = nodes.map(({ key, before: { id }, merged }) => ({
    id,
    ...assertedColumns(key, merged, changes),
  }));
  const terms = dialect === 'postgres' ? sql`, terms = ${postgresTerms}` : sql``;
  await sql`
    update ${tables.nodes} set kind = given.kind, folded = given.folded, shape = given.shape,
      content = given.content${terms}
    from ${givenRows(dialect, { id: 'bigint', ...assertedTypes }, rows)}
    where ${tables.nodes}.id = given.id`.execute(queries);
  for (const { before } of nodes) texts.count(before.shape_id, -1);
  for (const { id, shape } of rows) {
    texts.count(shape, 1);
    changes.nodes.add(id);
  }
  if (dialect === 'sqlite') {
    const former = nodes.map(({ key, before: { id, shape, content } }) => {
      const isNamed = shape !== null && content !== null;
      return {
        id,
        terms: isNamed ? nodeTerms(organizationId, key, unpackNode(key, { shape, content }).name) : null,
      };
    });
    const isRenamed = (_: unknown, index: number): boolean => former[index]?.terms !== rows[index]?.terms;
    await changeTerms(graph, former.filter(isRenamed), true);
    await changeTerms(graph, rows.filter(isRenamed));
  }
  return rows;
}

/** Deletes released nodes that no unit asserts and nothing names. */
export async function deleteUnnamed(graph: GraphQueries, changes: BatchChanges): Promise<void> {
  if (changes.released.size === 0) return;
  const { queries, dialect, tables } = graph;
  const { rows } = await sql<{ id: number; prefix: number; origin: number | null }>`
    delete from ${tables.nodes} where id in (select id from ${givenIds(dialect, [...changes.released])})
      and kind is null
      and not exists (select 1 from ${tables.edges} where src = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.edges} where dst = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.mentions} where alias_id = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.mentions} where src = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.units} where id = ${tables.nodes}.id)
    returning id, prefix, origin`.execute(queries);
  for (const { id, prefix, origin } of rows) {
    changes.nodes.add(id);
    changes.texts.count(prefix, -1);
    changes.texts.count(origin, -1);
  }
}
