import type { GraphNode } from '../../../backends/graph/port.ts';
import type { Source } from '../answer.ts';
import type { Inquiry } from '../inquiry.ts';
export function recordSource(
  { deps, scope }: Pick<Inquiry, 'deps' | 'scope'>,
  node: GraphNode,
  { reason }: { text?: string; reason: string },
): Source {
  return {
    kind: 'entity',
    uri: deps.urls.entity(scope, node.key),
    url: deps.urls.entity(scope, node.key),
    title: node.name,
    excerpt: node.name,
    reasons: [reason],
  };
}
export function recordText(node: GraphNode): string {
  return node.name;
}
