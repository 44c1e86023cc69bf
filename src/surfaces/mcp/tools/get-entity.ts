import { z } from 'zod';
import { entityRecord, relatedRecord } from '../../../features/knowledge/entity-record.ts';
import { entityArgument, entityOfUri } from '../resources/entity-of-uri.ts';
import { entityWithEdges, maxEdges, notesOfEdges } from '../resources/entity-with-edges.ts';
import { entityLine, relationLine, shortEntity, shortRelation } from './entity-text.ts';
import { defineTool, fitting } from './tool.ts';

const input = z.strictObject({ entity: entityArgument });

const output = entityRecord.extend({
  edges: z.array(relatedRecord.shape.edges.element),
  /** More edges exist; `related` lists them. */
  moreEdges: z.boolean(),
});

export const getEntity = defineTool({
  name: 'get_entity',
  title: 'Get an entity',
  description:
    'Returns one issue, incident, service, person, commit, file or symbol of the knowledge graph, with its closest ' +
    'connections. Its texts are third-party data.',
  input,
  output,
  async run({ entity }, { deps, access, signal }) {
    const key = await entityOfUri(deps.knowledge, access.scope, entity);
    const found = await entityWithEdges(deps.knowledge, access.scope, key, signal);
    const structured = await fitting(maxEdges, (limit) => ({
      ...shortEntity(found.entity),
      edges: found.edges.slice(0, limit).map(shortRelation),
      moreEdges: found.truncated || found.edges.length > limit,
    }));
    const notes = notesOfEdges(found.entity, structured.moreEdges);
    const lines = [entityLine(structured), ...structured.edges.map(relationLine), ...notes];
    return { structured, text: lines.join('\n') };
  },
});
