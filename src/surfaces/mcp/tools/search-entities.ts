import { z } from 'zod';
import { searchEntities as search } from '../../../features/knowledge/ask-graph.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { entityLine } from '../entities/entity-text.ts';
import { withGraphNotes } from './graph-notes.ts';
import { cursorLine } from './page-notes.ts';
import { defineTool, fitting } from './tool.ts';

const usual = 20;

const input = z.object({
  query: z.string().min(1).max(200).describe('The beginning of a name or title, or words of it.'),
  kinds: z
    .array(z.string().max(40))
    .max(20)
    .optional()
    .describe('Such as issue, incident, service, person, document, commit, pr, file, symbol.'),
  repositories: z.array(z.string().max(200)).max(50).optional().describe('Only code of these repositories.'),
  limit: z.int().min(1).max(100).default(usual),
  cursor: z.string().max(4000).optional(),
});

export const searchEntities = defineTool({
  name: 'search_entities',
  description:
    'Finds issues, incidents, services, people, projects, documents, commits, files and symbols by name or title. ' +
    'find_related then says what they are connected with.',
  input,
  run: ({ query, ...request }, context) =>
    withGraphNotes(context, (notes) =>
      fitting({ limit: request.limit, isLarge: request.limit > usual }, async (limit) => {
        const { deps, access } = context;
        const page = await search(deps.knowledge, access.scope, { ...request, text: query, limit });
        const first =
          page.items.length === 0
            ? 'No entity has this name. Try fewer or shorter words, or search_code.'
            : `${counted(page.items.length, 'entity', 'entities')}${page.nextCursor === null ? '' : ' so far'}.`;
        return [first, ...page.items.map(entityLine), ...cursorLine(page), ...notes].join('\n');
      }),
    ),
});
