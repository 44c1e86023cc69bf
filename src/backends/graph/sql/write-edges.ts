import { sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import { type Link, linkId } from '../adjacency.ts';
import { type BatchChanges, type Difference, difference, noteLink } from './batch-changes.ts';
import { type GraphQueries, givenIds } from './graph-tables.ts';
import type { GraphEdgeRow, GraphMentionRow } from './tables.ts';

const linkColumns = { src: 'bigint', kind: 'text', dst: 'bigint' } as const;
const reasonColumns = { rule: 'text', evidence: 'text', confidence: 'bigint' } as const;
const edgeKeyColumns = { ...linkColumns, unit_id: 'bigint', mention: 'bigint' } as const;
const edgeColumns = { ...edgeKeyColumns, ...reasonColumns } as const;
const mentionColumns = { alias_id: 'bigint', unit_id: 'bigint', src: 'bigint', kind: 'text' } as const;

/** Reads the edges that the units assert themselves. */
export async function readEdges(graph: GraphQueries, unitIds: readonly number[]): Promise<GraphEdgeRow[]> {
  const { rows } = await sql<GraphEdgeRow>`
    select edge.src, edge.kind, edge.dst, edge.unit_id, edge.mention, edge.rule, edge.evidence, edge.confidence
    from ${givenIds(graph.dialect, unitIds)} cross join ${graph.tables.edges} as edge
    where edge.unit_id = given.id and edge.mention = 0`.execute(graph.queries);
  return rows;
}

export function compareEdges(stored: readonly GraphEdgeRow[], wanted: readonly GraphEdgeRow[]) {
  return difference(
    stored,
    wanted,
    ({ src, kind, dst, unit_id, mention }) => `${src} ${kind} ${dst} ${unit_id} ${mention}`,
    sameReason,
  );
}

function sameReason(
  a: Pick<GraphEdgeRow, 'rule' | 'evidence' | 'confidence'>,
  b: Pick<GraphEdgeRow, 'rule' | 'evidence' | 'confidence'>,
): boolean {
  return a.rule === b.rule && a.evidence === b.evidence && a.confidence === b.confidence;
}

/** Deletes and writes edges, and counts by how much the number of different ones changed. */
export async function changeEdges(
  graph: GraphQueries,
  { removed, written }: Difference<GraphEdgeRow>,
  changes: BatchChanges,
): Promise<void> {
  const { queries, dialect, tables } = graph;
  const all = [...removed, ...written];
  if (all.length === 0) return;
  const links = new Map<string, Link>(all.map((row) => [linkId(row), row]));
  const stored: Link[] = [];
  for (const [id, link] of links) {
    // The edges of a node that this transaction added were not stored before it.
    const isNew = changes.added.has(link.src) || changes.added.has(link.dst);
    if (!isNew || changes.links.has(id)) stored.push(link);
    noteLink(changes, link, id);
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
      insert into ${tables.edges} (src, kind, dst, unit_id, mention, rule, evidence, confidence)
      select src, kind, dst, unit_id, mention, rule, evidence, confidence
      from ${givenRows(dialect, edgeColumns, written)} where true
      on conflict (src, kind, dst, unit_id, mention) do update set
        rule = excluded.rule, evidence = excluded.evidence, confidence = excluded.confidence`.execute(
      queries,
    );
  }
  // Without removals, each link exists afterwards.
  const after = removed.length === 0 ? stored.length : await countLinks(graph, stored);
  changes.edges += links.size - stored.length + after - before;
}

async function countLinks(
  { queries, dialect, tables }: GraphQueries,
  links: readonly Link[],
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
    select mention.alias_id, mention.unit_id, mention.src, mention.kind, mention.rule, mention.evidence,
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
  { removed, written }: Difference<GraphMentionRow>,
  changes: BatchChanges,
): Promise<void> {
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
      insert into ${tables.mentions} (alias_id, unit_id, src, kind, rule, evidence, confidence)
      select alias_id, unit_id, src, kind, rule, evidence, confidence
      from ${givenRows(dialect, columns, written)} where true
      on conflict (alias_id, unit_id, src, kind) do update set
        rule = excluded.rule, evidence = excluded.evidence, confidence = excluded.confidence`.execute(
      queries,
    );
  }
}
