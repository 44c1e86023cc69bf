import type { GraphNode } from '../../../backends/graph/port.ts';
import { fileKey } from '../../knowledge/links/keys.ts';
import { step } from '../../knowledge/queries/related-node.ts';
import type { Inquiry } from './inquiry.ts';

/** Returns the innermost definition that contains a line. */
export async function enclosing(
  { view, scope }: Inquiry,
  {
    repositoryId,
    path,
    line,
  }: { readonly repositoryId: string; readonly path: string; readonly line: number },
): Promise<GraphNode | undefined> {
  const from = [fileKey(repositoryId, path)];
  const { nodes } = await step(view.graph, scope, { from, direction: 'out', kinds: ['contains'] });
  return nodes
    .filter(
      ({ kind, props }) =>
        kind === 'symbol' && Number(props['startLine']) <= line && Number(props['endLine']) >= line,
    )
    .toSorted((a, b) => lengthOf(a) - lengthOf(b))[0];
}

function lengthOf({ props }: GraphNode): number {
  return Number(props['endLine']) - Number(props['startLine']);
}
