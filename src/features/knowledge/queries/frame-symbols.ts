import type { GraphNode, GraphReader } from '../../../backends/graph/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { RelatedNode } from './related-node.ts';

/** Maximum number of symbols of a file that are read. */
export const maxSymbols = 1000;
const maxFiles = 20;

/**
 * Adds to files that stack frames name the innermost symbols at these lines. The lines are looked up in the files as
 * they are now, because the commit that was running is not known.
 */
export async function withFrameSymbols(
  graph: GraphReader,
  scope: OrgScope,
  places: readonly RelatedNode[],
): Promise<readonly RelatedNode[]> {
  const framed = places.filter((place) => lineOf(place) !== undefined).slice(0, maxFiles);
  if (framed.length === 0) return places;
  const { nodes, edges } = await graph.neighbours(scope, {
    from: framed.map(({ node }) => node.key),
    direction: 'out',
    kinds: ['contains'],
    depth: 1,
    perNode: maxSymbols,
    limit: framed.length * maxSymbols,
  });
  const symbols = new Map(nodes.filter(({ kind }) => kind === 'symbol').map((node) => [node.key, node]));
  const inFile = Map.groupBy(edges, ({ from }) => from);
  return places.flatMap((place) => {
    const inside = (inFile.get(place.node.key) ?? []).flatMap(({ to }) => symbols.get(to) ?? []);
    const symbol = innermostAt(inside, lineOf(place));
    return symbol === undefined ? [place] : [place, { node: symbol, edge: place.edge }];
  });
}

function lineOf({ node, edge: { rule, evidence } }: RelatedNode): number | undefined {
  const line = node.kind === 'file' && rule === 'stack-frame' ? /:(\d{1,7})$/.exec(evidence)?.[1] : undefined;
  return line === undefined ? undefined : Number(line);
}

/** Returns the symbol with the shortest span that contains a line. */
function innermostAt(symbols: readonly GraphNode[], line: number | undefined): GraphNode | undefined {
  if (line === undefined) return undefined;
  const spans = symbols.flatMap((node) => {
    const { startLine: first, endLine: last } = node.props;
    return typeof first === 'number' && typeof last === 'number' && first <= line && line <= last
      ? [{ node, first, last }]
      : [];
  });
  return spans.toSorted((a, b) => a.last - a.first - (b.last - b.first) || b.first - a.first)[0]?.node;
}
