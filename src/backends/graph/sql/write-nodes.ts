import { sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import { foldName, nameTerms, organizationTerm } from '../name-terms.ts';
import type { BatchChanges, Difference } from './batch-changes.ts';
import { type CleanNode, kindOfKey, repositoryOfKey } from './clean-facts.ts';
import { type GraphQueries, givenIds } from './graph-tables.ts';
import { type FactContent, mergeFacts } from './merge-facts.ts';
import type { GraphNodeFactRow } from './tables.ts';

/** Returns the numbers of the keys, and adds the nodes that have none, with what the given facts say of them. */
export async function internKeys(
  graph: GraphQueries,
  organizationId: string,
  keys: ReadonlySet<string>,
  facts: readonly CleanNode[],
  changes: BatchChanges,
): Promise<ReadonlyMap<string, number>> {
  const { queries, dialect, tables } = graph;
  const ids = new Map<string, number>();
  const ordered = [...keys].toSorted();
  const given = givenRows(
    dialect,
    { key: 'text' },
    ordered.map((key) => ({ key })),
  );
  const { rows: known } = await sql<{ id: number; key: string }>`
    select node.id, node.key from ${given} cross join ${tables.nodes} as node
    where node.org_id = ${organizationId} and node.key = given.key`.execute(queries);
  for (const { id, key } of known) ids.set(key, id);
  const byKey = Map.groupBy(facts, ({ key }) => key);
  const missing = ordered
    .filter((key) => !ids.has(key))
    .map((key) => ({ key, ...nodeColumns(organizationId, key, mergeFacts(distinct(byKey.get(key) ?? []))) }));
  if (missing.length === 0) return ids;
  for (const { id, key } of await addNodes(graph, organizationId, missing)) {
    ids.set(key, id);
    changes.nodes.add(id);
    changes.added.add(id);
  }
  return ids;
}

async function addNodes(
  { queries, dialect, tables }: GraphQueries,
  organizationId: string,
  nodes: readonly (NodeColumns & { readonly key: string })[],
): Promise<readonly { readonly id: number; readonly key: string }[]> {
  const isPostgres = dialect === 'postgres';
  const { rows: added } = await sql<{ id: number; key: string }>`
    insert into ${tables.nodes} (org_id, key, kind, name, folded, repository_id, props${isPostgres ? sql`, terms` : sql``})
    select ${organizationId}, given.key, given.kind, given.name, given.folded, given.repository_id, given.props
      ${isPostgres ? sql`, ${postgresTerms}` : sql``}
    from ${givenRows(dialect, { key: 'text', ...nodeColumnTypes }, nodes)}
    returning id, key`.execute(queries);
  if (isPostgres) return added;
  const terms = new Map(nodes.map((node) => [node.key, node.terms]));
  await addTerms(
    { queries, dialect, tables },
    added.map(({ id, key }) => ({ id, terms: terms.get(key) ?? null })),
  );
  return added;
}

/** Adds names to the index of SQLite. */
async function addTerms(
  { queries, dialect, tables }: Pick<GraphQueries, 'queries' | 'dialect' | 'tables'>,
  nodes: readonly { readonly id: number; readonly terms: string | null }[],
): Promise<void> {
  const named = nodes.filter(({ terms }) => terms !== null);
  if (named.length === 0) return;
  await sql`
    insert into ${tables.terms} (rowid, terms)
    select given.id, given.terms from ${givenRows(
      dialect,
      { id: 'bigint', terms: 'text' },
      named,
    )} where true`.execute(queries);
}

interface NodeColumns {
  readonly kind: string | null;
  readonly name: string | null;
  readonly folded: string | null;
  readonly repository_id: string | null;
  readonly props: string | null;
  readonly terms: string | null;
}

const nodeColumnTypes = {
  kind: 'text',
  name: 'text',
  folded: 'text',
  repository_id: 'text',
  props: 'text',
  terms: 'text',
} as const;

const postgresTerms = sql`array_to_tsvector(string_to_array(given.terms, ' '))`;

/** Returns the columns of a node; those of one that nobody asserts are null. */
function nodeColumns(organizationId: string, key: string, merged: FactContent | undefined): NodeColumns {
  if (merged === undefined)
    return { kind: null, name: null, folded: null, repository_id: null, props: null, terms: null };
  const { name, props } = merged;
  return {
    kind: kindOfKey(key),
    name,
    folded: foldName(name),
    repository_id: repositoryOfKey(key),
    props,
    terms: [organizationTerm(organizationId), ...nameTerms(name)].join(' '),
  };
}

function distinct(facts: readonly CleanNode[]): readonly FactContent[] {
  return [...new Map(facts.map((fact) => [`${fact.props}\n${fact.name}`, fact])).values()];
}

export async function readNodeFacts(
  graph: GraphQueries,
  unitIds: readonly number[],
): Promise<GraphNodeFactRow[]> {
  const { rows } = await sql<GraphNodeFactRow>`
    select fact.unit_id, fact.node_id, fact.name, fact.props
    from ${givenIds(graph.dialect, unitIds)} cross join ${graph.tables.node_facts} as fact
    where fact.unit_id = given.id`.execute(graph.queries);
  return rows;
}

/** Writes changed facts, and merges the nodes that they are about. */
export async function writeNodeFacts(
  graph: GraphQueries,
  organizationId: string,
  difference: Difference<GraphNodeFactRow>,
  changes: BatchChanges,
): Promise<void> {
  const { queries, dialect, tables } = graph;
  const { removed, written } = difference;
  if (removed.length > 0) {
    const rows = removed.map(({ unit_id, node_id }) => ({ unit_id, node_id }));
    await sql`
      delete from ${tables.node_facts} where (unit_id, node_id) in (
        select unit_id, node_id from ${givenRows(dialect, { unit_id: 'bigint', node_id: 'bigint' }, rows)})`.execute(
      queries,
    );
    for (const { node_id } of removed) changes.released.add(node_id);
  }
  if (written.length > 0) {
    const columns = { unit_id: 'bigint', node_id: 'bigint', name: 'text', props: 'text' } as const;
    await sql`
      insert into ${tables.node_facts} (unit_id, node_id, name, props)
      select unit_id, node_id, name, props from ${givenRows(dialect, columns, written)}
      where true
      on conflict (unit_id, node_id) do update set name = excluded.name, props = excluded.props`.execute(
      queries,
    );
  }
  const all = [...removed, ...written].map(({ node_id }) => node_id);
  const touched = new Set(all.filter((id) => !changes.added.has(id)));
  if (touched.size > 0) await mergeNodes(graph, organizationId, difference, [...touched], changes);
}

interface MergedRow {
  readonly id: number;
  readonly key: string;
  readonly kind: string | null;
  readonly name: string | null;
  readonly props: string | null;
}

async function mergeNodes(
  graph: GraphQueries,
  organizationId: string,
  { removed, written, changed: replaced }: Difference<GraphNodeFactRow>,
  ids: readonly number[],
  changes: BatchChanges,
): Promise<void> {
  const { rows: current } = await sql<MergedRow>`
    select node.id, node.key, node.kind, node.name, node.props
    from ${givenIds(graph.dialect, ids)} cross join ${graph.tables.nodes} as node
    where node.id = given.id`.execute(graph.queries);
  const reduced = new Set([...removed, ...replaced].map(({ node_id }) => node_id));
  const added = Map.groupBy(written, ({ node_id }) => node_id);
  // A person or label is asserted by thousands of units: a fact that adds nothing must not read all others.
  const unsure = current.filter(
    (node) => reduced.has(node.id) || !(added.get(node.id) ?? []).every((fact) => addsNothing(node, fact)),
  );
  const facts = await readFactsOf(
    graph,
    unsure.map(({ id }) => id),
  );
  const changed: (MergedRow & { readonly merged: FactContent | undefined })[] = [];
  for (const node of unsure) {
    const merged = mergeFacts(facts.get(node.id) ?? []);
    if (merged?.name !== (node.name ?? undefined) || merged?.props !== (node.props ?? undefined))
      changed.push({ ...node, merged });
  }
  for (const { id } of changed) changes.nodes.add(id);
  await updateNodes(graph, organizationId, changed);
}

/** Returns whether merging gives the same node with or without the new fact. */
function addsNothing({ name, props }: MergedRow, fact: GraphNodeFactRow): boolean {
  return name === fact.name && props === fact.props;
}

async function readFactsOf(
  graph: GraphQueries,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly FactContent[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<FactContent & { node_id: number }>`
    select distinct fact.node_id, fact.name, fact.props
    from ${givenIds(graph.dialect, ids)} cross join ${graph.tables.node_facts} as fact
    where fact.node_id = given.id`.execute(graph.queries);
  return Map.groupBy(rows, ({ node_id }) => node_id);
}

async function updateNodes(
  graph: GraphQueries,
  organizationId: string,
  nodes: readonly (MergedRow & { readonly merged: FactContent | undefined })[],
): Promise<void> {
  if (nodes.length === 0) return;
  const { queries, dialect, tables } = graph;
  const rows = nodes.map(({ id, key, merged }) => ({ id, ...nodeColumns(organizationId, key, merged) }));
  const terms = dialect === 'postgres' ? sql`, terms = ${postgresTerms}` : sql``;
  await sql`
    update ${tables.nodes} set kind = given.kind, name = given.name, folded = given.folded,
      repository_id = given.repository_id, props = given.props${terms}
    from ${givenRows(dialect, { id: 'bigint', ...nodeColumnTypes }, rows)}
    where ${tables.nodes}.id = given.id`.execute(queries);
  if (dialect === 'postgres') return;
  const named = nodes.filter(({ name }) => name !== null).map(({ id }) => id);
  if (named.length > 0)
    await sql`delete from ${tables.terms} where rowid in (select id from ${givenIds(dialect, named)})`.execute(
      queries,
    );
  await addTerms(graph, rows);
}

/** Deletes released nodes that no unit asserts and nothing names. */
export async function deleteUnnamed(graph: GraphQueries, changes: BatchChanges): Promise<void> {
  if (changes.released.size === 0) return;
  const { queries, dialect, tables } = graph;
  const { rows } = await sql<{ id: number }>`
    delete from ${tables.nodes} where id in (select id from ${givenIds(dialect, [...changes.released])})
      and kind is null
      and not exists (select 1 from ${tables.edges} where src = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.edges} where dst = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.mentions} where alias_id = ${tables.nodes}.id)
      and not exists (select 1 from ${tables.mentions} where src = ${tables.nodes}.id)
    returning id`.execute(queries);
  for (const { id } of rows) changes.nodes.add(id);
}
