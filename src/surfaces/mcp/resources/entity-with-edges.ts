import { relatedEntities } from '../../../features/knowledge/ask-graph.ts';
import {
  type EntityRecord,
  notesOfPaths,
  type RelationRecord,
} from '../../../features/knowledge/entity-record.ts';
import type { KnowledgeDeps } from '../../../features/knowledge/knowledge-deps.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';

/** Maximum number of edges that are shown with an entity. */
export const maxEdges = 40;

/** Returns an entity with its closest edges; the answer may have more than are shown. @throws NotFound */
export async function entityWithEdges(
  knowledge: KnowledgeDeps,
  scope: OrgScope,
  entity: string,
  signal: AbortSignal,
): Promise<{
  readonly entity: EntityRecord;
  readonly edges: readonly RelationRecord[];
  readonly truncated: boolean;
}> {
  const around = { entity, direction: 'both', depth: 1, limit: maxEdges } as const;
  const { key, nodes, edges, truncated } = await relatedEntities(knowledge, scope, around, signal);
  const own = nodes.find((node) => node.key === key);
  if (own === undefined) throw new NotFound('The knowledge graph no longer has this entity.');
  return { entity: own, edges, truncated };
}

/** Returns what the text of an entity says of connections that it does not show. */
export function notesOfEdges(entity: EntityRecord, moreEdges: boolean): readonly string[] {
  const more = moreEdges ? ['There are more connections: call related.'] : [];
  return [...more, ...notesOfPaths(entity)];
}
