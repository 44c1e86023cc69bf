import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { type DescribedLink, type Link, linkId } from '../adjacency.ts';
import type { FeedNode } from '../feed.ts';
import { nodeTerms } from '../name-terms.ts';
import type { RunCypher } from './neo4j-client.ts';

/** The current values of changed nodes and edges; those that no longer exist are in the `gone` lists. */
export interface CopyBatch {
  readonly nodes: readonly FeedNode[];
  readonly goneNodes: readonly number[];
  readonly edges: readonly DescribedLink[];
  readonly goneEdges: readonly Link[];
}

/** Writes a batch. Deletions come first, because a node may have been replaced by one with the same key. */
export async function writeBatch(
  run: RunCypher,
  { organizationId: org }: DataScope,
  { nodes, goneNodes, edges, goneEdges }: CopyBatch,
): Promise<void> {
  if (goneNodes.length > 0)
    await run('UNWIND $ids AS id MATCH (n:GraphNode {org: $org, id: id}) DETACH DELETE n', {
      org,
      ids: goneNodes,
    });
  for (const [kind, links] of Map.groupBy(goneEdges, (link) => link.kind)) {
    await run(
      `UNWIND $links AS link
      MATCH (:GraphNode {org: $org, id: link.src})-[r:${typeOf(kind)}]->(:GraphNode {org: $org, id: link.dst})
      DELETE r`,
      { org, links },
    );
  }
  if (nodes.length > 0) {
    await run(
      `UNWIND $nodes AS node MERGE (n:GraphNode {org: $org, id: node.id})
      SET n.key = node.key, n.kind = node.kind, n.name = node.name, n.folded = node.folded,
        n.origin = node.origin, n.props = node.props, n.terms = node.terms`,
      { org, nodes: nodes.map((node) => ({ ...node, terms: termsOf(org, node) })) },
    );
  }
  for (const [kind, ofKind] of Map.groupBy(edges, ({ link }) => link.kind)) {
    // An end may come with a later batch of the same change, which adds its values.
    await run(
      `UNWIND $edges AS edge
      MERGE (a:GraphNode {org: $org, id: edge.src}) MERGE (b:GraphNode {org: $org, id: edge.dst})
      MERGE (a)-[r:${typeOf(kind)}]->(b)
      SET r.rule = edge.rule, r.evidence = edge.evidence, r.confidence = edge.confidence, r.owner = edge.owner,
        r.revision = edge.revision`,
      {
        org,
        edges: ofKind.map(({ link, edge: { from: _from, to: _to, ...reason } }) => ({ ...link, ...reason })),
      },
    );
  }
}

/** Returns the requested edges that were not found. */
export function missingLinks(asked: readonly Link[], found: readonly DescribedLink[]): readonly Link[] {
  const known = new Set(found.map(({ link }) => linkId(link)));
  return asked.filter((link) => !known.has(linkId(link)));
}

/** A type cannot be a parameter. @throws for a kind that is not a plain name */
function typeOf(kind: string): string {
  if (!/^[a-z][a-z_]*$/.test(kind)) throw new Error(`no kind of an edge: ${kind}`);
  return `\`${kind}\``;
}

function termsOf(organizationId: string, { key, name }: FeedNode): string | null {
  return name === null ? null : nodeTerms(organizationId, key, name);
}
