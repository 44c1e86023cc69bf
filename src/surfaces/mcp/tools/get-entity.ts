import { z } from 'zod';
import { entityArgument, entityOfAddress } from '../entities/entity-of-address.ts';
import { entityText } from '../entities/entity-with-edges.ts';
import { withGraphNotes } from './graph-notes.ts';
import { defineTool } from './tool.ts';

export const getEntity = defineTool({
  name: 'get_entity',
  description:
    'Returns one issue, incident, service, person, commit, file or symbol, with its closest connections. ' +
    'Takes an identifier such as ENG-123, an address or a key.',
  input: z.object({ entity: entityArgument }),
  run: ({ entity }, context) =>
    withGraphNotes(context, async (notes) => {
      const { deps, access, signal } = context;
      const key = await entityOfAddress(deps, access.scope, entity, signal);
      return [await entityText(deps.knowledge, access.scope, key, signal), ...notes].join('\n');
    }),
});
