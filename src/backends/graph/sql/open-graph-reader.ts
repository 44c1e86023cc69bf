import { sql } from 'kysely';
import { readDerivedVersion } from '../../../foundation/db/derived/derived-schema.ts';
import type { DerivedDatabase } from '../../../foundation/db/derived/open-derived.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { plainNode } from '../adjacency.ts';
import { findNeighbours } from '../find-neighbours.ts';
import { findPaths } from '../find-paths.ts';
import { type GraphReader, nodeKinds } from '../port.ts';
import { searchNames } from '../search-names.ts';
import { findUses } from './find-uses.ts';
import { type GraphQueries, graphQueries, organizationNumber } from './graph-tables.ts';
import { kindOfKey } from './kind-numbers.ts';
import { readAsserted } from './read-asserted.ts';
import { rebuilding } from './rebuilding.ts';
import { sqlAdjacency } from './sql-adjacency.ts';
import { sqlNames } from './sql-names.ts';

/** Opens the reader of the graph in SQL. */
export function openGraphReader(database: DerivedDatabase): GraphReader {
  const graph = graphQueries(database);
  const adjacency = sqlAdjacency(graph);
  const names = sqlNames(graph);

  /** Runs a read. The sequence is read first: the answer is at least as new. */
  const answer = async <Answer>(scope: DataScope, read: () => Promise<Answer>) => {
    try {
      const { sequence } = await readOrganization(graph, scope);
      return { ...(await read()), freshness: { store: 'sql' as const, sequence } };
    } catch (error) {
      // A worker of another version replaces the tables while this process answers.
      const version = await readDerivedVersion(database.queries, database.dialect).catch(
        () => database.version,
      );
      throw version === database.version ? error : rebuilding(error);
    }
  };

  return {
    get: (scope, keys) =>
      answer(scope, async () => ({ nodes: (await adjacency.nodesByKey(scope, keys)).map(plainNode) })),
    search: (scope, search) => answer(scope, () => searchNames(names, scope, search)),
    neighbours: (scope, traversal) =>
      answer(scope, () => findNeighbours(sqlAdjacency(graph, traversal), scope, traversal)),
    uses: (scope, search) => answer(scope, () => findUses(graph, scope, search)),
    paths: (scope, search) => answer(scope, () => findPaths(sqlAdjacency(graph, search), scope, search)),
    asserted: (scope, facts) =>
      answer(scope, async () => ({ nodes: await readAsserted(graph, scope, facts) })),
    stats: (scope) => answer(scope, () => count(graph, scope)),
  };
}

/** Returns the sequence and the number of edges of an organization; 0 before it has facts. */
export async function readOrganization(
  { queries, tables }: GraphQueries,
  { organizationId }: DataScope,
): Promise<{ readonly sequence: number; readonly edges: number }> {
  const { rows } = await sql<{ sequence: number; edges: number }>`
    select sequence, edges from ${tables.organizations} where org_id = ${organizationId}`.execute(queries);
  return rows[0] ?? { sequence: 0, edges: 0 };
}

async function count(graph: GraphQueries, scope: DataScope) {
  const { edges } = await readOrganization(graph, scope);
  const { rows } = await sql<{ kind: number; count: number }>`
    select kind, count(*) as count from ${graph.tables.nodes}
    where org = ${organizationNumber(graph.tables, scope.organizationId)} and kind is not null
    group by kind order by kind`.execute(graph.queries);
  const nodes: Record<string, number> = {};
  for (const row of rows) nodes[nodeKinds[row.kind] ?? (await readKind(graph, scope, row.kind))] = row.count;
  return { nodes, edges };
}

/** Returns the kind with a number that is not a place in the list of the port. */
async function readKind({ queries, tables }: GraphQueries, scope: DataScope, kind: number): Promise<string> {
  const { rows } = await sql<{ prefix: string }>`
    select prefix.text as prefix from ${tables.nodes} as node cross join ${tables.texts} as prefix
    where node.org = ${organizationNumber(tables, scope.organizationId)} and node.kind = ${kind}
      and prefix.id = node.prefix limit 1`.execute(queries);
  return kindOfKey(rows[0]?.prefix ?? '');
}
