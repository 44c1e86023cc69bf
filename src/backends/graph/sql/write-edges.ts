import { sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import {
  type BatchChanges,
  type Difference,
  difference,
  type NumberedLink,
  numbersOf,
} from './batch-changes.ts';
import { type GraphQueries, givenIds } from './graph-tables.ts';
import type { GraphEdgeRow, GraphMentionRow } from './tables.ts';

export const linkColumns = { src: 'bigint', kind: 'bigint', dst: 'bigint' } as const;
const reasonColumns = { reason: 'bigint', line: 'bigint', confidence: 'bigint' } as const;
const edgeKeyColumns = { ...linkColumns, unit_id: 'bigint', mention: 'bigint' } as const;
const edgeColumns = { ...edgeKeyColumns, ...reasonColumns } as const;
const mentionColumns = { alias_id: 'bigint', unit_id: 'bigint', src: 'bigint', kind: 'bigint' } as const;

export const edgeRow = sql.raw(
  'edge.src, edge.kind, edge.dst, edge.unit_id, edge.mention, edge.reason, edge.line, edge.confidence',
);

/** Reads the edges that the units assert themselves, by the nodes that they assert. */
export async function readEdges(
  { queries, dialect, tables }: GraphQueries,
  unitIds: readonly number[],
): Promise<GraphEdgeRow[]> {
  const given = givenIds(dialect, unitIds);
  const { rows } = await sql<GraphEdgeRow>`
    select ${edgeRow} from ${given} cross join ${tables.node_facts} as fact cross join ${tables.edges} as edge
    where fact.unit_id = given.id and edge.src = fact.node_id and edge.unit_id = given.id and edge.mention = 0
    union all select ${edgeRow} from ${given} cross join ${tables.edges} as edge
    where edge.mention = -1 and edge.mention <> 0 and edge.unit_id = given.id`.execute(queries);
  return rows;
}

/** Reads which edges units assert, those of their mentions included. */
export async function readLinks(graph: GraphQueries, unitIds: readonly number[]): Promise<NumberedLink[]> {
  const { queries, dialect, tables } = graph;
  if (unitIds.length === 0) return [];
  const { rows } = await sql<NumberedLink>`
    select edge.src, edge.kind, edge.dst from ${givenIds(dialect, unitIds)}
    cross join ${tables.mentions} as mention cross join ${tables.edges} as edge
    where mention.unit_id = given.id and edge.src = mention.src and edge.kind = mention.kind
      and edge.mention = mention.alias_id and edge.unit_id = given.id`.execute(queries);
  return [...rows, ...(await readEdges(graph, unitIds))].map(({ src, kind, dst }) => ({ src, kind, dst }));
}

export function compareEdges(stored: readonly GraphEdgeRow[], wanted: readonly GraphEdgeRow[]) {
  return difference(stored, wanted, (row) => `${numbersOf(row)} ${row.unit_id} ${row.mention}`, sameReason);
}

function sameReason(
  a: Pick<GraphEdgeRow, 'reason' | 'line' | 'confidence'>,
  b: Pick<GraphEdgeRow, 'reason' | 'line' | 'confidence'>,
): boolean {
  return a.reason === b.reason && a.line === b.line && a.confidence === b.confidence;
}

function countReasons(
  { texts }: BatchChanges,
  { removed, written, replaced }: Difference<Pick<GraphEdgeRow, 'reason'>>,
): void {
  for (const { reason } of written) texts.count(reason, 1);
  for (const { reason } of [...removed, ...replaced]) texts.count(reason, -1);
}

/** Deletes and writes edges, and counts by how much the number of different ones changed. */
export async function changeEdges(
  graph: GraphQueries,
  edges: Difference<GraphEdgeRow>,
  changes: BatchChanges,
): Promise<void> {
  const { queries, dialect, tables } = graph;
  const { removed, written } = edges;
  const all = [...removed, ...written];
  if (all.length === 0) return;
  countReasons(changes, edges);
  const links = new Map<string, NumberedLink>(all.map((row) => [numbersOf(row), row]));
  const stored: NumberedLink[] = [];
  for (const [id, link] of links) {
    // The edges of a node that this transaction added were not stored before it.
    const isNew = changes.added.has(link.src) || changes.added.has(link.dst);
    if (!isNew || changes.links.has(id)) stored.push(link);
    changes.links.set(id, link);
  }
  const before = await countLinks(graph, stored);
  if (removed.length > 0) {
    await sql`
      delete from ${tables.edges} where (src, kind, dst, unit_id, mention) in (
        select src, kind, dst, unit_id, mention from ${givenRows(
          dialect,
          edgeKeyColumns,
          removed.map(({ src, kind, dst, unit_id, mention }) => ({ src, kind, dst, unit_id, mention })),
        )})`.execute(queries);
    for (const { src, dst } of removed) changes.released.add(src).add(dst);
  }
  if (written.length > 0) {
    await sql`
      insert into ${tables.edges} (src, kind, dst, unit_id, mention, reason, line, confidence)
      select src, kind, dst, unit_id, mention, reason, line, confidence
      from ${givenRows(dialect, edgeColumns, written)} where true
      on conflict (src, kind, dst, unit_id, mention) do update set
        reason = excluded.reason, line = excluded.line, confidence = excluded.confidence`.execute(queries);
  }
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
  graph: GraphQueries,
  unitIds: readonly number[],
): Promise<GraphMentionRow[]> {
  const { rows } = await sql<GraphMentionRow>`
    select mention.alias_id, mention.unit_id, mention.src, mention.kind, mention.reason, mention.line,
      mention.confidence
    from ${givenIds(graph.dialect, unitIds)} cross join ${graph.tables.mentions} as mention
    where mention.unit_id = given.id`.execute(graph.queries);
  return rows;
}

export function compareMentions(stored: readonly GraphMentionRow[], wanted: readonly GraphMentionRow[]) {
  return difference(
    stored,
    wanted,
    ({ alias_id, unit_id, src, kind }) => `${alias_id} ${unit_id} ${src} ${kind}`,
    sameReason,
  );
}

export async function changeMentions(
  { queries, dialect, tables }: GraphQueries,
  mentions: Difference<GraphMentionRow>,
  changes: BatchChanges,
): Promise<void> {
  const { removed, written } = mentions;
  countReasons(changes, mentions);
  if (removed.length > 0) {
    await sql`
      delete from ${tables.mentions} where (alias_id, unit_id, src, kind) in (
        select alias_id, unit_id, src, kind
        from ${givenRows(
          dialect,
          mentionColumns,
          removed.map(({ alias_id, unit_id, src, kind }) => ({ alias_id, unit_id, src, kind })),
        )})`.execute(queries);
    for (const { src, alias_id } of removed) changes.released.add(src).add(alias_id);
  }
  if (written.length > 0) {
    const columns = { ...mentionColumns, ...reasonColumns };
    await sql`
      insert into ${tables.mentions} (alias_id, unit_id, src, kind, reason, line, confidence)
      select alias_id, unit_id, src, kind, reason, line, confidence
      from ${givenRows(dialect, columns, written)} where true
      on conflict (alias_id, unit_id, src, kind) do update set
        reason = excluded.reason, line = excluded.line, confidence = excluded.confidence`.execute(queries);
  }
}
