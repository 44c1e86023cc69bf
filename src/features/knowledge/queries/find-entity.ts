import { aliasOf, type GraphNode, type GraphReader, isNodeKind } from '../../../backends/graph/port.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';

const identifier = /^[a-z][a-z\d]{0,30}-\d{1,10}$/i;
const maxKeyBytes = 1024;

/**
 * Returns the node with a key, such as `issue:…`, or the issue with an identifier, such as `ENG-123`, also a former
 * one.
 * @throws NotFound, also for an entity of another organization
 */
export async function findEntity(graph: GraphReader, scope: OrgScope, text: string): Promise<GraphNode> {
  if (identifier.test(text)) return findByIdentifier(graph, scope, text.toUpperCase());
  if (!isKey(text)) return failMissing();
  const { nodes } = await graph.get(scope, [text]);
  return nodes[0] ?? failMissing();
}

async function findByIdentifier(graph: GraphReader, scope: OrgScope, name: string): Promise<GraphNode> {
  const from = `alias:${name}`;
  const traversal = { from: [from], direction: 'out', kinds: [aliasOf], depth: 1 } as const;
  const { nodes, edges } = await graph.neighbours(scope, { ...traversal, perNode: 10, limit: 11 });
  const [best] = edges.toSorted((a, b) => b.confidence - a.confidence || (a.to < b.to ? -1 : 1));
  return nodes.find(({ key }) => key === best?.to) ?? failMissing();
}

function isKey(text: string): boolean {
  const kind = text.slice(0, Math.max(0, text.indexOf(':')));
  return (
    isNodeKind(kind) && Buffer.byteLength(text) <= maxKeyBytes && text.isWellFormed() && !text.includes('\0')
  );
}

function failMissing(): never {
  throw new NotFound(
    'The knowledge graph has no entity with this key or identifier. Search the entities for its name.',
  );
}
