import { type RawBuilder, sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { organizationTerm } from '../name-terms.ts';
import { nodeKinds } from '../port.ts';
import {
  afterPrefix,
  isPrefixWord,
  maxNamesRead,
  type NamedNode,
  type NameIndex,
  type NameQuery,
} from '../search-names.ts';
import { type GraphQueries, givenIds, organizationNumber } from './graph-tables.ts';
import { type NodeRow, nodeColumns, nodesWithTexts, numberedNode } from './node-rows.ts';
import { textHash } from './packed-text.ts';

export function sqlNames(graph: GraphQueries): NameIndex {
  return {
    byPrefix: (scope, query) => byPrefix(graph, scope, query),
    byWords: (scope, query) => byWords(graph, scope, query),
  };
}

/** Reads a range of the index for each kind, because the index is ordered by kind first. */
function byPrefix(
  graph: GraphQueries,
  { organizationId }: DataScope,
  query: NameQuery,
): Promise<readonly NamedNode[]> {
  const { tables } = graph;
  const { folded, after, limit, repositories } = query;
  const organization = organizationNumber(tables, organizationId);
  const ranges = query.kinds.map(
    (kind) => sql`select * from (
      select node.id, node.folded${repositories === undefined ? sql`` : sql`, node.repository`}
      from ${tables.nodes} as node where node.org = ${organization} and node.kind = ${sql.lit(nodeKinds.indexOf(kind))}
        and node.folded >= ${folded} and node.folded < ${afterPrefix(folded)}
        ${after === undefined ? sql`` : sql`and (node.folded, node.id) > (${after.folded}, ${sql.lit(after.id)})`}
      order by node.folded, node.id limit ${repositories === undefined ? limit : maxNamesRead}) as one`,
  );
  return readNames(
    graph,
    sql`select found.id, found.folded from (${sql.join(ranges, sql` union all `)}) as found
      where true ${ofRepositories(graph, sql.ref('found.repository'), organizationId, repositories)}
      order by found.folded, found.id limit ${limit}`,
  );
}

function byWords(
  graph: GraphQueries,
  { organizationId }: DataScope,
  query: NameQuery,
): Promise<readonly NamedNode[]> {
  const { dialect, tables } = graph;
  const { folded, after, limit, kinds, repositories } = query;
  const numbers = kinds.map((kind) => nodeKinds.indexOf(kind));
  return readNames(
    graph,
    sql`select node.id, node.folded from (${candidates(graph, organizationId, query)}) as found
      cross join ${tables.nodes} as node
      where node.id = found.id and node.org = ${organizationNumber(tables, organizationId)}
        and node.kind in (select id from ${givenIds(dialect, numbers)})
        and not (node.folded >= ${folded} and node.folded < ${afterPrefix(folded)})
        ${ofRepositories(graph, sql.ref('node.repository'), organizationId, repositories)}
        ${after === undefined ? sql`` : sql`and (node.folded, node.id) > (${after.folded}, ${sql.lit(after.id)})`}
      order by node.folded, node.id limit ${limit}`,
  );
}

function ofRepositories(
  { dialect, tables }: GraphQueries,
  column: RawBuilder<unknown>,
  organizationId: string,
  repositories: readonly string[] | undefined,
): RawBuilder<unknown> {
  if (repositories === undefined) return sql``;
  const given = repositories.map((text) => ({ hash: textHash(text), text }));
  return sql`and ${column} in (
    select shared.id from ${givenRows(dialect, { hash: 'bigint', text: 'text' }, given)}
    cross join ${tables.texts} as shared
    where shared.org = ${organizationNumber(tables, organizationId)} and shared.hash = given.hash
      and shared.text = given.text)`;
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
  { words }: NameQuery,
): RawBuilder<unknown> {
  const own = organizationTerm(organizationId);
  if (dialect === 'sqlite') {
    const match = [`"${own}"`, ...words.map((word) => `"${word}"${isPrefixWord(word) ? '*' : ''}`)].join(
      ' AND ',
    );
    return sql`select rowid as id from ${tables.terms} where ${sql.raw('graph_terms')} match ${match}
      order by rowid limit ${maxNamesRead}`;
  }
  const match = [`'${own}'`, ...words.map((word) => `'${word}'${isPrefixWord(word) ? ':*' : ''}`)].join(
    ' & ',
  );
  return sql`select id from ${tables.nodes} where terms @@ ${match}::tsquery order by id limit ${maxNamesRead}`;
}
