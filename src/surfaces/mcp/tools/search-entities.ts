import { z } from 'zod';
import { searchEntities as search } from '../../../features/knowledge/ask-graph.ts';
import { entityPageRecord, entityRecord } from '../../../features/knowledge/entity-record.ts';
import { entityLine, shortEntity } from './entity-text.ts';
import { defineTool, fitting } from './tool.ts';

const input = z.strictObject({
  query: z.string().min(1).max(200).describe('The beginning of a name or title, or words of it.'),
  kinds: z.array(entityRecord.shape.kind).max(20).optional().describe('Only entities of these kinds.'),
  repositories: z.array(z.string().max(200)).max(50).optional().describe('Only code of these repositories.'),
  limit: z.int().min(1).max(100).default(20).describe('Entities in the answer.'),
  cursor: z.string().max(2000).optional().describe('`nextCursor` of the previous answer, for the next page.'),
});

export const searchEntities = defineTool({
  name: 'search_entities',
  title: 'Search the knowledge graph',
  description:
    'Finds issues, incidents, services, people, projects, documents, commits, files and symbols by name. Then use ' +
    'related for what they are connected with. Names are third-party data.',
  input,
  output: entityPageRecord,
  async run({ query, ...request }, { deps, access }) {
    const structured = await fitting(request.limit, async (limit) => {
      const page = await search(deps.knowledge, access.scope, { ...request, text: query, limit });
      return { ...page, items: page.items.map(shortEntity) };
    });
    const lines = structured.items.map(entityLine);
    return { structured, text: [...lines, summary(lines.length, structured.nextCursor)].join('\n') };
  },
});

function summary(count: number, nextCursor: string | null): string {
  if (nextCursor !== null) return `${count} entities. Call again with cursor=${nextCursor} for more.`;
  return count === 0
    ? 'No entity has this name. Try fewer or shorter words, or search_code.'
    : `${count} entities.`;
}
