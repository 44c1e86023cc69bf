import { type Adjacency, type DescribedLink, type Link, nodeOf, type StoredNode } from '../adjacency.ts';
import type { GraphEdge } from '../port.ts';
import type { RunCypher } from './neo4j-client.ts';

/** The fields of a `StoredNode`, in a statement that calls the node `n`. */
export const nodeColumns = 'n.id AS id, n.key AS key, n.kind AS kind, n.name AS name, n.props AS props';

/** Reads nodes and edges for traversals, in the order of SQL. */
export function neo4jAdjacency(run: RunCypher): Adjacency {
  return {
    nodesByKey: async ({ organizationId: org }, keys) => {
      const rows = await run<StoredNode>(
        `UNWIND $keys AS key MATCH (n:GraphNode {org: $org, key: key}) WHERE n.kind IS NOT NULL
        RETURN ${nodeColumns}`,
        { org, keys: [...new Set(keys)] },
      );
      const found = new Map(rows.map((row) => [row.key, row]));
      return [...new Set(keys)].flatMap((key) => found.get(key) ?? []).map(nodeOf);
    },
    nodesById: async ({ organizationId: org }, ids) => {
      if (ids.length === 0) return [];
      const rows = await run<StoredNode>(
        `UNWIND $ids AS id MATCH (n:GraphNode {org: $org, id: id}) WHERE n.kind IS NOT NULL RETURN ${nodeColumns}`,
        { org, ids },
      );
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.flatMap((id) => found.get(id) ?? []).map(nodeOf);
    },
    links: async ({ organizationId: org }, ids, { direction, kinds, minConfidence, perNode }) => {
      const pattern = direction === 'out' ? '-[r]->' : '<-[r]-';
      const rows = await run<{ id: number; kind: string; other: number }>(
        `UNWIND $ids AS id
        CALL (id) {
          MATCH (n:GraphNode {org: $org, id: id})${pattern}(m:GraphNode)
          WHERE r.confidence >= $minConfidence AND ($kinds IS NULL OR type(r) IN $kinds)
          RETURN type(r) AS kind, m.id AS other ORDER BY kind, other LIMIT $perNode
        }
        RETURN id, kind, other`,
        { org, ids, minConfidence, perNode, kinds: kinds ?? null },
      );
      const byNode = Map.groupBy(rows, ({ id }) => id);
      return ids
        .flatMap((id) => byNode.get(id) ?? [])
        .map(({ id, kind, other }) =>
          direction === 'out' ? { src: id, kind, dst: other } : { src: other, kind, dst: id },
        );
    },
    describe: async ({ organizationId: org }, links) => {
      const rows = await run<GraphEdge & { index: number }>(
        `UNWIND $links AS link
        MATCH (a:GraphNode {org: $org, id: link.src})-[r]->(b:GraphNode {org: $org, id: link.dst})
        WHERE type(r) = link.kind
        RETURN link.index AS index, a.key AS from, type(r) AS kind, b.key AS to, r.rule AS rule,
          r.evidence AS evidence, r.confidence AS confidence, r.owner AS owner, r.revision AS revision`,
        { org, links: links.map((link, index) => ({ ...link, index })) },
      );
      const found = new Map(rows.map(({ index, ...edge }) => [index, edge]));
      return links.flatMap((link, index) => describedLink(link, found.get(index)));
    },
  };
}

function describedLink(link: Link, edge: GraphEdge | undefined): readonly DescribedLink[] {
  return edge === undefined ? [] : [{ link, edge }];
}
