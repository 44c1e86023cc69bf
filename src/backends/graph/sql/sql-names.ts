import { type RawBuilder, sql } from 'kysely';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { organizationTerm, originTerm } from '../name-terms.ts';
import {
  afterPrefix,
  isPrefixWord,
  maxNamesRead,
  type NamedNode,
  type NameIndex,
  type NameQuery,
} from '../search-names.ts';
import { type GraphQueries, givenIds, organizationNumber } from './graph-tables.ts';
import { nodeKindNumber } from './kind-numbers.ts';
import { type NodeRow, nodeColumns, nodesWithTexts, numberedNode, originNumbers } from './node-rows.ts';
import { sqlAdjacency } from './sql-adjacency.ts';

export function sqlNames(graph: GraphQueries): NameIndex {
  return {
    nodesByKey: sqlAdjacency(graph).nodesByKey,
    byPrefix: (scope, query) => byPrefix(graph, scope, query),
    byWords: (scope, query) => byWords(graph, scope, query),
  };
}

/**
 * Reads the names that begin with a text, or are the text if they must be whole: a range of the index for each kind,
 * because the index is ordered by kind first. It also has the origin, so that nodes of others are passed over without
 * being read.
 */
export function byPrefix(
  graph: GraphQueries,
  { organizationId }: DataScope,
  query: Omit<NameQuery, 'words'>,
): Promise<readonly NamedNode[]> {
  const { tables } = graph;
  const { folded, whole, after, limit, origins } = query;
  const organization = organizationNumber(tables, organizationId);
  const range = whole
    ? sql`node.folded = ${folded}`
    : sql`node.folded >= ${folded} and node.folded < ${afterPrefix(folded)}`;
  const ranges = query.kinds.map(
    (kind) => sql`select * from (
      select node.id, node.folded from ${tables.nodes} as node where node.org = ${organization} and node.kind = ${sql.lit(nodeKindNumber(kind))}
        and ${range}
        ${after === undefined ? sql`` : sql`and (node.folded, node.id) > (${after.folded}, ${sql.lit(after.id)})`}
        ${origins === undefined ? sql`` : sql`and node.origin in ${originNumbers(graph, organizationId, origins)}`}
      order by node.folded, node.id limit ${limit}) as one`,
  );
  return readNames(
    graph,
    sql`select found.id, found.folded from (${sql.join(ranges, sql` union all `)}) as found
      order by found.folded, found.id limit ${limit}`,
  );
}

function byWords(
  graph: GraphQueries,
  { organizationId }: DataScope,
  query: NameQuery,
): Promise<readonly NamedNode[]> {
  const { dialect, tables } = graph;
  const { folded, after, limit, kinds } = query;
  const numbers = kinds.map(nodeKindNumber);
  return readNames(
    graph,
    sql`select node.id, node.folded from (${candidates(graph, organizationId, query)}) as found
      cross join ${tables.nodes} as node
      where node.id = found.id and node.org = ${organizationNumber(tables, organizationId)}
        and node.kind in (select id from ${givenIds(dialect, numbers)})
        and not (node.folded >= ${folded} and node.folded < ${afterPrefix(folded)})
        ${after === undefined ? sql`` : sql`and (node.folded, node.id) > (${after.folded}, ${sql.lit(after.id)})`}
      order by node.folded, node.id limit ${limit}`,
  );
}

/** Reads the nodes of a page, whose number and folded name the statement returns. */
async function readNames(
  { queries, tables }: GraphQueries,
  page: RawBuilder<unknown>,
): Promise<readonly NamedNode[]> {
  const { rows } = await sql<NodeRow & { folded: string }>`
    select ${nodeColumns}, page.folded from (${page}) as page cross join ${nodesWithTexts(tables)}
    where node.id = page.id and prefix.id = node.prefix order by page.folded, page.id`.execute(queries);
  return rows.map((row) => ({ ...numberedNode(row), folded: row.folded }));
}

/** Returns the statement of the oldest nodes that have all words. */
function candidates(
  { dialect, tables }: GraphQueries,
  organizationId: string,
  { words, origins }: NameQuery,
): RawBuilder<unknown> {
  const own = organizationTerm(organizationId);
  if (dialect === 'sqlite') {
    const of = origins === undefined ? [] : [`(${origins.map((id) => `"${originTerm(id)}"`).join(' OR ')})`];
    const match = [
      `"${own}"`,
      ...of,
      ...words.map((word) => `"${word}"${isPrefixWord(word) ? '*' : ''}`),
    ].join(' AND ');
    return sql`select rowid as id from ${tables.terms} where ${sql.raw('graph_terms')} match ${match}
      order by rowid limit ${maxNamesRead}`;
  }
  const of = origins === undefined ? [] : [`(${origins.map((id) => `'${originTerm(id)}'`).join(' | ')})`];
  const match = [
    `'${own}'`,
    ...of,
    ...words.map((word) => `'${word}'${isPrefixWord(word) ? ':*' : ''}`),
  ].join(' & ');
  return sql`select id from ${tables.nodes} where terms @@ ${match}::tsquery order by id limit ${maxNamesRead}`;
}
