import { type RawBuilder, sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import { aliasOf, graphLimits } from '../port.ts';
import type { BatchChanges } from './batch-changes.ts';
import { difference, rowTables } from './batch-rows.ts';
import { type GraphQueries, givenIds } from './graph-tables.ts';
import { edgeKindNumber } from './kind-numbers.ts';
import type { GraphEdgeRow } from './tables.ts';
import { changeEdges, edgeColumns } from './write-edges.ts';

const aliasKind = sql.lit(edgeKindNumber(aliasOf));

/** The mentions of one name by one unit. */
export interface MentionPair {
  readonly alias_id: number;
  readonly unit_id: number;
}

/**
 * Writes the edges that mentions stand for: for all units where the target of an alias changed, and otherwise only for
 * the units whose mentions changed, because a name may have thousands of mentions.
 */
export async function resolveMentions(
  graph: GraphQueries,
  aliases: readonly number[],
  pairs: readonly MentionPair[],
  changes: BatchChanges,
): Promise<void> {
  const { dialect } = graph;
  if (aliases.length > 0)
    await resolveThose(graph, givenIds(dialect, aliases), (row) => sql`${row} = given.id`, changes);
  const all = new Set(aliases);
  const others = pairs.filter(({ alias_id }) => !all.has(alias_id));
  if (others.length === 0) return;
  const unique = [...new Map(others.map((pair) => [`${pair.alias_id} ${pair.unit_id}`, pair])).values()];
  const given = givenRows(
    dialect,
    { alias_id: 'bigint', unit_id: 'bigint' },
    unique.map((pair) => ({ ...pair })),
  );
  await resolveThose(graph, given, matchesPair, changes);
}

function matchesPair(alias: RawBuilder<unknown>, unit: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${alias} = given.alias_id and ${unit} = given.unit_id`;
}

async function resolveThose(
  graph: GraphQueries,
  given: RawBuilder<unknown>,
  matches: (alias: RawBuilder<unknown>, unit: RawBuilder<unknown>) => RawBuilder<unknown>,
  changes: BatchChanges,
): Promise<void> {
  const { queries, tables } = graph;
  const { rows: stored } = await sql<GraphEdgeRow>`
    select ${edgeColumns} from ${given} cross join ${tables.edges} as edge
    where ${matches(sql.raw('edge.mention'), sql.raw('edge.unit_id'))} and edge.mention <> 0`.execute(
    queries,
  );
  const { rows: resolved } = await sql<
    Omit<GraphEdgeRow, 'confidence'> & { confidence: number; targets: number }
  >`
    select distinct mention.src, mention.kind, target.dst, mention.unit_id, mention.alias_id as mention, mention.reason,
      mention.line, mention.confidence,
      (select count(distinct other.dst) from ${tables.edges} as other
        where other.src = mention.alias_id and other.kind = ${aliasKind} and other.mention <= 0) as targets
    from ${given} cross join ${tables.mentions} as mention cross join ${tables.edges} as target
    where ${matches(sql.raw('mention.alias_id'), sql.raw('mention.unit_id'))}
      and target.src = mention.alias_id and target.kind = ${aliasKind} and target.mention <= 0`.execute(
    queries,
  );
  const wanted = resolved.map(({ targets, ...edge }) => ({
    ...edge,
    confidence: targets > 1 ? Math.min(edge.confidence, graphLimits.ambiguousConfidence) : edge.confidence,
  }));
  await changeEdges(graph, difference(rowTables.edges, stored, wanted), changes);
}
