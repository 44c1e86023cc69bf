import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { searchCode } from '../../../features/search/search-code.ts';
import { disconnectSignal } from '../../fastify/disconnect.ts';
import { problemResponses } from '../problem.ts';
import { given } from './given.ts';
import { organizationPath, pageQuery, scopeOf } from './request-parts.ts';

const searchQuery = pageQuery.extend({
  q: z
    .string()
    .describe('The query: words, "phrase", /regex/, `or`, `-`, repo: file: lang: content: case: type:.'),
  context: z.coerce.number().int().min(0).max(10).default(0).describe('Lines before and after each match.'),
});

const match = z.object({
  line: z.int().describe('1-based.'),
  column: z.int().describe('1-based, in UTF-16 code units of the whole line.'),
  length: z.int(),
  text: z.string().describe('The line, at most 2,000 characters of it round the match.'),
  textOffset: z.int().describe('UTF-16 code units of the line before `text`; 0 unless it was cut there.'),
  before: z.array(z.string()).readonly(),
  after: z.array(z.string()).readonly(),
});

const fileMatch = z.object({
  repository: z.string().describe('Its name.'),
  repositoryId: z.string(),
  commit: z.string(),
  path: z.string(),
  language: z.string(),
  score: z.number(),
  matches: z.array(match).readonly(),
  moreMatches: z.int().describe('Matching lines of the file beyond those shown.'),
});

const searchPage = z
  .object({
    items: z.array(fileMatch).readonly(),
    stats: z.object({
      candidates: z.int(),
      scanned: z.int(),
      matched: z.int(),
      milliseconds: z.number(),
    }),
    incomplete: z
      .enum(['deadline', 'limit', 'damaged'])
      .optional()
      .describe(
        'There may be more than was looked at; `damaged`: an index is unreadable and being built anew.',
      ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'SearchPage' });

export function searchRoutes(deps: Parameters<typeof searchCode>[0]): FastifyPluginAsyncZod {
  return async (server) => {
    server.get(
      '/search',
      {
        config: { role: 'member' },
        schema: {
          operationId: 'searchCode',
          tags: ['Search'],
          summary: 'Search the indexed code, best files first',
          params: organizationPath,
          querystring: searchQuery,
          response: { 200: searchPage, ...problemResponses(400, 401, 403, 429, 503) },
        },
      },
      (request, reply) => searchCode(deps, scopeOf(request), given(request.query), disconnectSignal(reply)),
    );
  };
}
