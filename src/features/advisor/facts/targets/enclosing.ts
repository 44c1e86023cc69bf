import type { GraphNode } from '../../../../backends/graph/port.ts';
import { fileKey } from '../../../knowledge/links/keys.ts';
import { innermostAt, maxSymbols } from '../../../knowledge/queries/frame-symbols.ts';
import type { Inquiry } from '../inquiry.ts';

/** Returns the innermost definition that contains a line. */
export async function enclosing(
  { view, scope }: Inquiry,
  {
    repositoryId,
    path,
    line,
  }: { readonly repositoryId: string; readonly path: string; readonly line: number },
): Promise<GraphNode | undefined> {
  const { nodes } = await view.graph.neighbours(scope, {
    from: [fileKey(repositoryId, path)],
    direction: 'out',
    kinds: ['contains'],
    depth: 1,
    perNode: maxSymbols,
    limit: maxSymbols,
  });
  return innermostAt(
    nodes.filter(({ kind }) => kind === 'symbol'),
    line,
  );
}
