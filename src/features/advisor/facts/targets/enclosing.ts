import type { GraphNode } from '../../../../backends/graph/port.ts';
import { fileKey } from '../../../knowledge/links/keys.ts';
import { innermostAt, maxSymbols } from '../../../knowledge/queries/frame-symbols.ts';
import type { Inquiry } from '../inquiry.ts';
import type { FilePlace } from './file-lines.ts';

/** Returns the innermost definition that contains a line. */
export async function enclosing(
  inquiry: Inquiry,
  { line, ...file }: FilePlace & { readonly line: number },
): Promise<GraphNode | undefined> {
  return innermostAt(await definitionsIn(inquiry, file), line);
}

/** Returns the definitions of a file. */
export async function definitionsIn(
  { view, scope }: Inquiry,
  { repositoryId, path }: FilePlace,
): Promise<readonly GraphNode[]> {
  const { nodes } = await view.graph.neighbours(scope, {
    from: [fileKey(repositoryId, path)],
    direction: 'out',
    kinds: ['contains'],
    depth: 1,
    perNode: maxSymbols,
    limit: maxSymbols,
  });
  return nodes.filter(({ kind }) => kind === 'symbol');
}
