import { relatedEntities } from '../../../features/knowledge/ask-graph.ts';
import type { EntityRecord, RelationRecord } from '../../../features/knowledge/entity-record.ts';
import type { KnowledgeDeps } from '../../../features/knowledge/knowledge-deps.ts';
import { fileKey } from '../../../features/knowledge/links/keys.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';

/** The relations of a file in the knowledge graph. */
export interface FileRelations {
  readonly definitions: readonly EntityRecord[];
  /** The entities that refer to the file or are connected with it, with the kind of the relation. */
  readonly references: readonly { readonly entity: EntityRecord; readonly edge: RelationRecord }[];
  readonly truncated: boolean;
}

const none: FileRelations = { definitions: [], references: [], truncated: false };

/** Maximum number of entities on the page of a file. */
const limit = 30;

/** Returns definitions and references of a file; nothing if the graph does not know it yet. */
export async function fileRelations(
  knowledge: KnowledgeDeps,
  scope: OrgScope,
  { repositoryId, path }: { readonly repositoryId: string; readonly path: string },
  signal: AbortSignal,
): Promise<FileRelations> {
  const key = fileKey(repositoryId, path);
  try {
    const question = { entity: key, direction: 'both', depth: 1, limit } as const;
    const { nodes, edges, truncated } = await relatedEntities(knowledge, scope, question, signal);
    const byKey = new Map(nodes.map((node) => [node.key, node]));
    const defined = edges.filter(({ from, kind }) => from === key && kind === 'contains');
    const others = edges.filter(
      ({ kind, to }) => !(kind === 'contains' && (to === key || isSymbol(byKey.get(to)))),
    );
    return {
      definitions: defined.flatMap(({ to }) => byKey.get(to) ?? []).toSorted((a, b) => lineOf(a) - lineOf(b)),
      references: others.flatMap((edge) => {
        const entity = byKey.get(edge.from === key ? edge.to : edge.from);
        return entity === undefined ? [] : [{ entity, edge }];
      }),
      truncated,
    };
  } catch (error) {
    if (error instanceof NotFound) return none;
    throw error;
  }
}

function isSymbol(entity: EntityRecord | undefined): boolean {
  return entity?.kind === 'symbol';
}

/** Returns the line of a definition; 0 if it is unknown. */
export function lineOf({ properties }: EntityRecord): number {
  const { startLine } = properties;
  return typeof startLine === 'number' ? startLine : 0;
}
