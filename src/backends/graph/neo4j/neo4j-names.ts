import { nodeOf, type StoredNode } from '../adjacency.ts';
import { organizationTerm, originTerm } from '../name-terms.ts';
import {
  isPrefixWord,
  maxNamesRead,
  type NamedNode,
  type NameIndex,
  type NameQuery,
} from '../search-names.ts';
import { neo4jAdjacency, nodeColumns } from './neo4j-adjacency.ts';
import type { RunCypher } from './neo4j-client.ts';

type NameRow = StoredNode & { readonly folded: string };

const isAfter = `($after IS NULL OR n.folded > $after.folded OR (n.folded = $after.folded AND n.id > $after.id))`;
const ofOrigins = '($origins IS NULL OR n.origin IN $origins)';
const page = `RETURN ${nodeColumns}, n.folded AS folded ORDER BY folded, id LIMIT $limit`;

export function neo4jNames(run: RunCypher): NameIndex {
  return {
    nodesByKey: neo4jAdjacency(run).nodesByKey,
    byPrefix: async ({ organizationId: org }, query) =>
      named(
        await run<NameRow>(
          `UNWIND $kinds AS kind
          CALL (kind) {
            MATCH (n:GraphNode)
            WHERE n.org = $org AND n.kind = kind AND n.folded ${query.whole ? '=' : 'STARTS WITH'} $folded
              AND ${ofOrigins} AND ${isAfter}
            RETURN n ORDER BY n.folded, n.id LIMIT $limit
          }
          ${page}`,
          { org, ...parametersOf(query) },
        ),
      ),
    byWords: async ({ organizationId: org }, query) => {
      const terms = query.words.map((word) => `+${word}${isPrefixWord(word) ? '*' : ''}`);
      const of = query.origins && `+(${query.origins.map(originTerm).join(' ')})`;
      return named(
        await run<NameRow>(
          `CALL db.index.fulltext.queryNodes('graph_node_terms', $match) YIELD node AS n
          WITH n WHERE n.org = $org
          WITH n ORDER BY n.id LIMIT $maxNames
          WITH n WHERE n.kind IN $kinds AND NOT n.folded STARTS WITH $folded AND ${isAfter}
          ${page}`,
          {
            org,
            ...parametersOf(query),
            match: [`+${organizationTerm(org)}`, ...(of === undefined ? [] : [of]), ...terms].join(' '),
            maxNames: maxNamesRead,
          },
        ),
      );
    },
  };
}

function parametersOf({ folded, kinds, origins, after, limit }: NameQuery) {
  return {
    folded,
    kinds,
    origins: origins ?? null,
    after: after ?? null,
    limit,
  };
}

function named(rows: readonly NameRow[]): readonly NamedNode[] {
  return rows.map((row) => ({ ...nodeOf(row), folded: row.folded }));
}
