import { sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import { type BatchChanges, type NumberedLink, numbersOf } from './batch-changes.ts';
import { type Difference, deleteRows, putRows, rowTables } from './batch-rows.ts';
import { type GraphQueries, givenIds } from './graph-tables.ts';
import type { GraphEdgeRow, GraphMentionRow } from './tables.ts';

export const linkColumns = { src: 'bigint', kind: 'bigint', dst: 'bigint' } as const;

export const edgeColumns = sql.raw(
  'edge.src, edge.kind, edge.dst, edge.unit_id, edge.mention, edge.reason, edge.line, edge.confidence',
);

/** Reads the edges that units assert themselves, by the nodes that they assert. */
export async function readEdges(
  { queries, dialect, tables }: GraphQueries,
  unitIds: readonly number[],
): Promise<GraphEdgeRow[]> {
  const given = givenIds(dialect, unitIds);
  // SQLite uses an index of some rows only for a statement with its condition.
  const { rows } = await sql<GraphEdgeRow>`
    select ${edgeColumns} from ${given} cross join ${tables.node_facts} as fact cross join ${tables.edges} as edge
    where fact.unit_id = given.id and edge.src = fact.node_id and edge.unit_id = given.id and edge.mention = 0
    union all select ${edgeColumns} from ${given} cross join ${tables.edges} as edge
    where edge.mention = -1 and edge.mention <> 0 and edge.unit_id = given.id`.execute(queries);
  return rows;
}

/** Reads which edges units assert, those of their mentions included. */
export async function readLinks(
  graph: GraphQueries,
  unitIds: readonly number[],
): Promise<readonly NumberedLink[]> {
  const { queries, dialect, tables } = graph;
  if (unitIds.length === 0) return [];
  const { rows } = await sql<NumberedLink>`
    select edge.src, edge.kind, edge.dst from ${givenIds(dialect, unitIds)}
    cross join ${tables.mentions} as mention cross join ${tables.edges} as edge
    where mention.unit_id = given.id and edge.src = mention.src and edge.kind = mention.kind
      and edge.mention = mention.alias_id and edge.unit_id = given.id`.execute(queries);
  return [...rows, ...(await readEdges(graph, unitIds))];
}

/** Deletes and writes edges, and counts by how much the number of different ones changed. */
export async function changeEdges(
  graph: GraphQueries,
  edges: Difference<GraphEdgeRow>,
  changes: BatchChanges,
): Promise<void> {
  const { removed, written } = edges;
  countReasons(changes, edges);
  const links = new Map<string, NumberedLink>([...removed, ...written].map((row) => [numbersOf(row), row]));
  const stored: NumberedLink[] = [];
  for (const [id, link] of links) {
    // The edges of a node that this transaction added were not stored before it.
    const isNew = changes.added.has(link.src) || changes.added.has(link.dst);
    if (!isNew || changes.links.has(id)) stored.push(link);
    changes.links.set(id, link);
  }
  const before = await countLinks(graph, stored);
  await deleteRows(graph, rowTables.edges, removed);
  for (const { src, dst } of removed) changes.released.add(src).add(dst);
  await putRows(graph, rowTables.edges, written);
  // Without removals, each link exists afterwards.
  const after = removed.length === 0 ? stored.length : await countLinks(graph, stored);
  changes.edges += links.size - stored.length + after - before;
}

async function countLinks(
  { queries, dialect, tables }: GraphQueries,
  links: readonly NumberedLink[],
): Promise<number> {
  if (links.length === 0) return 0;
  const { rows: counted } = await sql<{ count: number }>`
    select count(*) as count from ${givenRows(dialect, linkColumns, links)}
    where exists (select 1 from ${tables.edges} as edge
      where edge.src = given.src and edge.kind = given.kind and edge.dst = given.dst)`.execute(queries);
  return counted[0]?.count ?? 0;
}

export async function readMentions(
  { queries, dialect, tables }: GraphQueries,
  unitIds: readonly number[],
): Promise<GraphMentionRow[]> {
  const { rows } = await sql<GraphMentionRow>`
    select mention.alias_id, mention.unit_id, mention.src, mention.kind, mention.reason, mention.line,
      mention.confidence
    from ${givenIds(dialect, unitIds)} cross join ${tables.mentions} as mention
    where mention.unit_id = given.id`.execute(queries);
  return rows;
}

export async function changeMentions(
  graph: GraphQueries,
  mentions: Difference<GraphMentionRow>,
  changes: BatchChanges,
): Promise<void> {
  countReasons(changes, mentions);
  await deleteRows(graph, rowTables.mentions, mentions.removed);
  for (const { src, alias_id } of mentions.removed) changes.released.add(src).add(alias_id);
  await putRows(graph, rowTables.mentions, mentions.written);
}

function countReasons(
  { texts }: BatchChanges,
  { removed, written, replaced }: Difference<Readonly<{ reason: number }>>,
): void {
  for (const { reason } of written) texts.count(reason, 1);
  for (const { reason } of [...removed, ...replaced]) texts.count(reason, -1);
}
