import { type RawBuilder, sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import { foldName, nameTerms, organizationTerm } from '../name-terms.ts';
import type { BatchChanges, Difference, NodeContent } from './batch-changes.ts';
import { type GraphQueries, givenIds } from './graph-tables.ts';
import { nodeKindNumber } from './kind-numbers.ts';
import { mergeFacts } from './merge-facts.ts';
import { type NodeRow, nodeColumns, nodesOfKeys, nodesWithTexts } from './node-rows.ts';
import { type PackedNode, packNode, repositoryOfKey, splitKey, unpackNode } from './packed-text.ts';
import type { GraphNodeFactRow } from './tables.ts';

/** Returns the numbers of the keys, and adds the nodes that have none, with what the given facts say of them. */
export async function internKeys(
  graph: GraphQueries,
  keys: ReadonlySet<string>,
  facts: readonly (PackedNode & { readonly key: string })[],
  changes: BatchChanges,
): Promise<ReadonlyMap<string, number>> {
  const ordered = [...keys].toSorted();
  const known = await nodesOfKeys(graph, changes.organizationId, ordered);
  const ids = new Map(known.map(({ id, prefix, rest }) => [prefix + rest, id]));
  const byKey = Map.groupBy(facts, ({ key }) => key);
  const missing = ordered
    .filter((key) => !ids.has(key))
    .map((key) => ({ key, merged: mergePacked(key, byKey.get(key) ?? []) }));
  if (missing.length === 0) return ids;
  for (const [key, id] of await addNodes(graph, missing, changes)) ids.set(key, id);
  return ids;
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
  nodes: readonly MergedNode[],
  changes: BatchChanges,
): Promise<ReadonlyMap<string, number>> {
  const { queries, dialect, tables } = graph;
  const { texts, organization } = changes;
  const placed = nodes.map((node) => ({
    ...node,
    split: splitKey(node.key),
    repository: repositoryOfKey(node.key),
  }));
  await texts.add([
    ...placed.map(({ split: [prefix] }) => prefix),
    ...placed.flatMap(({ repository }) => repository ?? []),
    ...placed.flatMap(({ merged }) => merged?.shape ?? []),
  ]);
  const rows = placed.map(({ key, merged, split: [prefix, rest], repository }) => ({
    prefix: texts.id(prefix),
    rest,
    repository: repository === null ? null : texts.id(repository),
    ...assertedColumns(key, merged, changes),
  }));
  const columns = { prefix: 'bigint', rest: 'text', repository: 'bigint', ...assertedTypes } as const;
  const isPostgres = dialect === 'postgres';
  const { rows: added } = await sql<{ id: number; prefix: number; rest: string }>`
    insert into ${tables.nodes}
      (org, prefix, rest, repository, kind, folded, shape, content${isPostgres ? sql`, terms` : sql``})
    select ${sql.lit(organization)}, given.prefix, given.rest, given.repository, given.kind, given.folded,
      given.shape, given.content${isPostgres ? sql`, ${postgresTerms}` : sql``}
    from ${givenRows(dialect, columns, rows)} where true
    returning id, prefix, rest`.execute(queries);
  const idOf = new Map(added.map(({ id, prefix, rest }) => [`${prefix} ${rest}`, id]));
  const ids = rows.map(({ prefix, rest }) => idOf.get(`${prefix} ${rest}`) ?? 0);
  for (const [index, { prefix, repository, shape, content }] of rows.entries()) {
    const id = ids[index] ?? 0;
    for (const text of [prefix, repository, shape]) texts.count(text, 1);
    changes.nodes.add(id);
    changes.added.set(id, { shape, content });
  }
  if (!isPostgres)
    await addTerms(
      graph,
      rows.map(({ terms }, index) => ({ id: ids[index] ?? 0, terms })),
    );
  return new Map(nodes.map(({ key }, index) => [key, ids[index] ?? 0]));
}

interface NodeTerms {
  readonly id: number;
  readonly terms: string | null;
}

/** Adds names to the index of SQLite. */
async function addTerms(graph: GraphQueries, nodes: readonly NodeTerms[]): Promise<void> {
  const named = nodes.filter(({ terms }) => terms !== null);
  if (named.length > 0)
    await sql`
      insert into ${graph.tables.terms} (rowid, terms)
      select given.id, given.terms from ${givenTerms(graph, named)} where true`.execute(graph.queries);
}

/** Removes names from the index of SQLite, which does not store them. */
async function removeTerms(graph: GraphQueries, nodes: readonly NodeTerms[]): Promise<void> {
  const named = nodes.filter(({ terms }) => terms !== null);
  if (named.length > 0)
    await sql`
      insert into ${graph.tables.terms} (${sql.raw('graph_terms')}, rowid, terms)
      select 'delete', given.id, given.terms from ${givenTerms(graph, named)} where true`.execute(
      graph.queries,
    );
}

function givenTerms({ dialect }: GraphQueries, nodes: readonly NodeTerms[]): RawBuilder<unknown> {
  return givenRows(
    dialect,
    { id: 'bigint', terms: 'text' },
    nodes.map(({ id, terms }) => ({ id, terms })),
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
    kind: nodeKindNumber(key),
    folded: foldName(name),
    shape: texts.id(shape),
    content,
    terms: termsOf(organizationId, name),
  };
}

function termsOf(organizationId: string, name: string): string {
  return [organizationTerm(organizationId), ...nameTerms(name)].join(' ');
}

export type FactRow = GraphNodeFactRow & { readonly shape: number; readonly content: string };

/** Reads the facts of units, those that are equal to their nodes included. */
export async function readNodeFacts(graph: GraphQueries, unitIds: readonly number[]): Promise<FactRow[]> {
  const { rows } = await sql<FactRow>`
    select fact.unit_id, fact.node_id, ${factContent}
    from ${givenIds(graph.dialect, unitIds)} cross join ${graph.tables.node_facts} as fact
    cross join ${graph.tables.nodes} as node
    where fact.unit_id = given.id and node.id = fact.node_id`.execute(graph.queries);
  return rows;
}

const factContent = sql.raw(
  'coalesce(fact.shape, node.shape) as shape, coalesce(fact.content, node.content) as content',
);

/** Writes changed facts, and merges the nodes that they are about. */
export async function writeNodeFacts(
  graph: GraphQueries,
  { removed, written, replaced }: Difference<FactRow>,
  changes: BatchChanges,
): Promise<void> {
  const { queries, dialect, tables } = graph;
  const gone = [...removed, ...replaced];
  if (gone.length > 0) {
    const rows = gone.map(({ unit_id, node_id }) => ({ unit_id, node_id }));
    const { rows: deleted } = await sql<{ shape: number | null }>`
      delete from ${tables.node_facts} where (unit_id, node_id) in (
        select unit_id, node_id from ${givenRows(dialect, { unit_id: 'bigint', node_id: 'bigint' }, rows)})
      returning shape`.execute(queries);
    for (const { shape } of deleted) changes.texts.count(shape, -1);
    for (const { node_id } of removed) changes.released.add(node_id);
  }
  const touched = [...gone, ...written].map(({ node_id }) => node_id).filter((id) => !changes.added.has(id));
  const merged = await mergeNodes(graph, gone, written, [...new Set(touched)], changes);
  if (written.length === 0) return;
  const rows = written.map((row) => {
    const { unit_id, node_id, shape, content } = row;
    const node = merged.get(node_id) ?? changes.added.get(node_id);
    return isSame(node, row)
      ? { unit_id, node_id, shape: null, content: null }
      : { unit_id, node_id, shape, content };
  });
  for (const { shape } of rows) changes.texts.count(shape, 1);
  const columns = { unit_id: 'bigint', node_id: 'bigint', shape: 'bigint', content: 'text' } as const;
  await sql`
    insert into ${tables.node_facts} (unit_id, node_id, shape, content)
    select unit_id, node_id, shape, content from ${givenRows(dialect, columns, rows)} where true`.execute(
    queries,
  );
}

function isSame(a: NodeContent | undefined, b: NodeContent): boolean {
  return a?.shape === b.shape && a.content === b.content;
}

type CurrentNode = NodeRow & { readonly shape_id: number | null };

interface ChangedNode extends MergedNode {
  readonly id: number;
  readonly before: CurrentNode;
}

/** Merges known nodes from their facts, of which `written` are not stored yet. Returns the content that they have now. */
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
  const facts = await readFactsOf(
    graph,
    unsure.map(({ id }) => id),
    written,
  );
  const changed = unsure.flatMap((before): ChangedNode[] => {
    const { id, prefix, rest, shape, content } = before;
    const merged = mergePacked(prefix + rest, facts.get(id) ?? []);
    const isChanged = merged?.shape !== (shape ?? undefined) || merged?.content !== (content ?? undefined);
    return isChanged ? [{ id, key: prefix + rest, before, merged }] : [];
  });
  await changes.texts.add(changed.flatMap(({ merged }) => merged?.shape ?? []));
  for (const { id, merged } of changed) {
    changes.nodes.add(id);
    contents.set(id, {
      shape: merged === undefined ? null : changes.texts.id(merged.shape),
      content: merged?.content ?? null,
    });
  }
  await updateNodes(graph, changed, changes);
  return contents;
}

/** Returns the different facts about nodes, stored ones and others. */
async function readFactsOf(
  graph: GraphQueries,
  ids: readonly number[],
  others: readonly FactRow[],
): Promise<ReadonlyMap<number, readonly PackedNode[]>> {
  if (ids.length === 0) return new Map();
  const { queries, dialect, tables } = graph;
  const own = new Set(ids);
  const { rows } = await sql<{ node_id: number; shape: number; content: string }>`
    select distinct fact.node_id, ${factContent}
    from ${givenIds(dialect, ids)} cross join ${tables.node_facts} as fact cross join ${tables.nodes} as node
    where fact.node_id = given.id and node.id = fact.node_id`.execute(queries);
  const all = [...rows, ...others.filter(({ node_id }) => own.has(node_id))];
  const { rows: shapes } = await sql<{ id: number; text: string }>`
    select shared.id, shared.text from ${givenIds(dialect, [...new Set(all.map(({ shape }) => shape))])}
    cross join ${tables.texts} as shared where shared.id = given.id`.execute(queries);
  const textOf = new Map(shapes.map(({ id, text }) => [id, text]));
  const facts = all.map(({ node_id, shape, content }) => ({
    node_id,
    shape: textOf.get(shape) ?? '',
    content,
  }));
  return Map.groupBy(facts, ({ node_id }) => node_id);
}

async function updateNodes(
  graph: GraphQueries,
  nodes: readonly ChangedNode[],
  changes: BatchChanges,
): Promise<void> {
  if (nodes.length === 0) return;
  const { queries, dialect, tables } = graph;
  const { texts, organizationId } = changes;
  const rows = nodes.map(({ id, key, merged }) => ({ id, ...assertedColumns(key, merged, changes) }));
  await keepFacts(graph, nodes, changes);
  const terms = dialect === 'postgres' ? sql`, terms = ${postgresTerms}` : sql``;
  await sql`
    update ${tables.nodes} set kind = given.kind, folded = given.folded, shape = given.shape,
      content = given.content${terms}
    from ${givenRows(dialect, { id: 'bigint', ...assertedTypes }, rows)}
    where ${tables.nodes}.id = given.id`.execute(queries);
  for (const [index, { before }] of nodes.entries()) {
    texts.count(before.shape_id, -1);
    texts.count(rows[index]?.shape ?? null, 1);
  }
  if (dialect === 'postgres') return;
  const former = nodes.map(({ id, key, before: { shape, content } }) => {
    const isNamed = shape !== null && content !== null;
    return { id, terms: isNamed ? termsOf(organizationId, unpackNode(key, { shape, content }).name) : null };
  });
  await removeTerms(graph, former);
  await addTerms(graph, rows);
}

/** Before nodes change: stores the facts that were equal to them, and no longer those that will be. */
async function keepFacts(
  { queries, dialect, tables }: GraphQueries,
  nodes: readonly ChangedNode[],
  { texts }: BatchChanges,
): Promise<void> {
  const contents = nodes.map(({ id, before, merged }) => ({
    id,
    former_shape: before.shape_id,
    former_content: before.content,
    shape: merged === undefined ? null : texts.id(merged.shape),
    content: merged?.content ?? null,
  }));
  const columns = {
    former_shape: 'bigint',
    former_content: 'text',
    shape: 'bigint',
    content: 'text',
  } as const;
  const given = givenRows(dialect, { id: 'bigint', ...columns }, contents);
  const ofNode = sql`${tables.node_facts}.node_id = given.id`;
  const own = (column: string): RawBuilder<unknown> => sql`${tables.node_facts}.${sql.ref(column)}`;
  const { rows: stored } = await sql<{ node_id: number }>`
    update ${tables.node_facts} set shape = given.former_shape, content = given.former_content from ${given}
    where ${ofNode} and ${own('shape')} is null returning node_id`.execute(queries);
  const { rows: equal } = await sql<{ node_id: number }>`
    update ${tables.node_facts} set shape = null, content = null from ${given}
    where ${ofNode} and ${own('shape')} = given.shape and ${own('content')} = given.content
    returning node_id`.execute(queries);
  const byId = new Map(contents.map((row) => [row.id, row]));
  for (const { node_id } of stored) texts.count(byId.get(node_id)?.former_shape ?? null, 1);
  for (const { node_id } of equal) texts.count(byId.get(node_id)?.shape ?? null, -1);
}

/** Deletes released nodes that no unit asserts and nothing names. */
export async function deleteUnnamed(graph: GraphQueries, changes: BatchChanges): Promise<void> {
  if (changes.released.size === 0) return;
  const { queries, dialect, tables } = graph;
  const { rows } = await sql<{ id: number; prefix: number; repository: number | null }>`
    delete from ${tables.nodes} where id in (select id from ${givenIds(dialect, [...changes.released])})
      and kind is null
      and not exists (select 1 from ${tables.edges} where src = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.edges} where dst = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.mentions} where alias_id = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.mentions} where src = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.units} where id = ${tables.nodes}.id)
    returning id, prefix, repository`.execute(queries);
  for (const { id, prefix, repository } of rows) {
    changes.nodes.add(id);
    changes.texts.count(prefix, -1);
    changes.texts.count(repository, -1);
  }
}
