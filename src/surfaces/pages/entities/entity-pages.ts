import { relatedEntities } from '../../../features/knowledge/ask-graph.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { AppPage } from '../app/app-page.ts';
import { listEntities } from './entity-list.ts';
import { entityView, unknownEntityView } from './entity-view.ts';
import { mirroredRecord } from './mirrored-record.ts';

/** Maximum number of neighbours on the page. */
const limit = 60;

/**
 * The search of the knowledge graph, and the page of an entity: its neighbours as a drawing and as a table with
 * reasons.
 */
export const entityPages: readonly AppPage[] = [
  {
    method: 'GET',
    path: '/entities',
    role: 'member',
    section: 'Search',
    handle: async (visit, context) => visit.show(await listEntities(visit, context)),
  },
  {
    method: 'GET',
    path: '/entities/:key',
    role: 'member',
    section: 'Search',
    async handle(visit, context) {
      const question = { entity: visit.param('key'), direction: 'both', depth: 1, limit } as const;
      const related = await relatedEntities(context.knowledge, visit.scope, question, visit.signal).catch(
        (error: unknown) => {
          if (error instanceof NotFound) return undefined;
          throw error;
        },
      );
      const entity = related?.nodes.find((node) => node.key === related.key);
      if (related === undefined || entity === undefined) return visit.show(unknownEntityView(visit));
      const { key, nodes, edges, truncated } = related;
      const neighbours = nodes.filter((node) => node.key !== key);
      const mirrored = await mirroredRecord(visit, context, entity);
      return visit.show(entityView(visit, { entity, neighbours, edges, truncated, mirrored }));
    },
  },
];
