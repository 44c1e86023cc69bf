import { type RawBuilder, sql } from 'kysely';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { nodeOf, type StoredNode } from '../adjacency.ts';
import { organizationTerm } from '../name-terms.ts';
import {
  afterPrefix,
  isPrefixWord,
  maxNamesRead,
  type NamedNode,
  type NameIndex,
  type NameQuery,
} from '../search-names.ts';
import { type GraphQueries, textList } from './graph-tables.ts';

type NameRow = StoredNode & { readonly folded: string };

const columns = sql.raw('node.id, node.key, node.kind, node.name, node.props, node.folded');

export function sqlNames(graph: GraphQueries): NameIndex {
  return {
    byPrefix: (scope, query) => byPrefix(graph, scope, query),
    byWords: (scope, query) => byWords(graph, scope, query),
  };
}

/** Reads a range of the index for each kind, because the index is ordered by kind first. */
async function byPrefix(
  { queries, dialect, tables }: GraphQueries,
  { organizationId }: DataScope,
  query: NameQuery,
): Promise<readonly NamedNode[]> {
  const { folded, after, limit } = query;
  const filtered = query.repositories !== undefined;
  const ranges = query.kinds.map(
    (kind) => sql`select * from (
      select node.id, node.folded, node.repository_id from ${tables.nodes} as node
      where node.org_id = ${organizationId} and node.kind = ${kind}
        and node.folded >= ${folded} and node.folded < ${afterPrefix(folded)}
        ${after === undefined ? sql`` : sql`and (node.folded, node.id) > (${after.folded}, ${sql.lit(after.id)})`}
      order by node.folded, node.id limit ${filtered ? maxNamesRead : limit}) as one`,
  );
  const { rows } = await sql<NameRow>`
    select ${columns} from (${sql.join(ranges, sql` union all `)}) as found
    cross join ${tables.nodes} as node where node.id = found.id
    ${filtered ? sql`and found.repository_id in ${textList(dialect, query.repositories ?? [])}` : sql``}
    order by node.folded, node.id limit ${limit}`.execute(queries);
  return rows.map((row) => ({ ...nodeOf(row), folded: row.folded }));
}

async function byWords(
  graph: GraphQueries,
  { organizationId }: DataScope,
  query: NameQuery,
): Promise<readonly NamedNode[]> {
  const { queries, dialect, tables } = graph;
  const { folded, after, limit } = query;
  const { rows } = await sql<NameRow>`
    select ${columns} from (${candidates(graph, organizationId, query)}) as found
    cross join ${tables.nodes} as node
    where node.id = found.id and node.org_id = ${organizationId} and node.kind in ${textList(dialect, query.kinds)}
      and not (node.folded >= ${folded} and node.folded < ${afterPrefix(folded)})
      ${query.repositories === undefined ? sql`` : sql`and node.repository_id in ${textList(dialect, query.repositories)}`}
      ${after === undefined ? sql`` : sql`and (node.folded, node.id) > (${after.folded}, ${sql.lit(after.id)})`}
    order by node.folded, node.id limit ${limit}`.execute(queries);
  return rows.map((row) => ({ ...nodeOf(row), folded: row.folded }));
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
