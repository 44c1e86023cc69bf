import { z } from 'zod';
import { searchCode } from '../../../search/search-code.ts';
import { lineSource } from './line-source.ts';
import { answerTool } from './tool.ts';

const args = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(500)
    .describe(
      'Words are literal and all must match; "a phrase"; /regex/; or; -not. Filters: repo: file: lang: sym: content: case:yes.',
    ),
});

const max = { files: 8, matches: 2, context: 3 } as const;

export const searchCodeTool = answerTool({
  name: 'search_code',
  description:
    'Finds exact text, patterns and paths in the indexed repositories, with the lines around them.',
  args,
  async run({ query }, context) {
    const { deps, inquiry, signal } = context;
    const request = { q: query, limit: max.files, context: max.context, matches: max.matches };
    const found = await searchCode(deps, inquiry.scope, request, signal);
    const sources = found.items.flatMap(({ repositoryId, path, commit, matches }) =>
      matches.flatMap(({ line, before, text, after }) => {
        const startLine = line - before.length;
        const lines = [...before, text, ...after];
        return lineSource(context, { repositoryId, path, commit, startLine, lines }, 'found by a search');
      }),
    );
    const notes = [
      ...(found.items.length === 0 ? ['No file matches. Try fewer or shorter words.'] : []),
      ...(found.incomplete === undefined && found.nextCursor === null ? [] : ['There are more matches.']),
    ];
    return { sources, notes };
  },
});
