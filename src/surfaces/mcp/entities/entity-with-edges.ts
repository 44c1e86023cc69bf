import { relatedEntities } from '../../../features/knowledge/ask-graph.ts';
import { notesOfPaths } from '../../../features/knowledge/entity-record.ts';
import type { KnowledgeDeps } from '../../../features/knowledge/knowledge-deps.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { fittingLines } from '../../../foundation/kernel/text/fitting-lines.ts';
import { maxText, shownSize } from '../tools/tool.ts';
import { entityLine, relationLine } from './entity-text.ts';

/** Maximum number of edges that are shown with an entity. */
const maxEdges = 40;
/** Room for the lines of edges and the entity itself; the notes have the rest of a page. */
const maxSize = maxText.page - 500;

/** Returns the text of an entity with its closest edges. @throws NotFound */
export async function entityText(
  knowledge: KnowledgeDeps,
  scope: OrgScope,
  entity: string,
  signal: AbortSignal,
): Promise<string> {
  const around = { entity, direction: 'both', depth: 1, limit: maxEdges } as const;
  const { key, nodes, edges, truncated } = await relatedEntities(knowledge, scope, around, signal);
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const own = byKey.get(key);
  if (own === undefined) throw new NotFound('The knowledge graph no longer has this entity.');
  const all = [entityLine(own), ...edges.slice(0, maxEdges).map((edge) => relationLine(edge, byKey, key))];
  const lines = fittingLines(all, maxSize, shownSize);
  const isAll = lines.length > edges.length && !truncated;
  const more = isAll ? [] : ['(There are more connections: call find_related.)'];
  return [...lines, ...more, ...notesOfPaths(own)].join('\n');
}
