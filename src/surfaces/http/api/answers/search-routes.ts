import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type CodeSearchPage, searchCode } from '../../../../features/search/search-code.ts';
import {
  fileMatchRecord,
  searchPageRecord,
  searchSummaryRecord,
} from '../../../../features/search/search-record.ts';
import { given } from '../../../../foundation/kernel/wire/given.ts';
import { prefersType } from '../../../fastify/accept.ts';
import { disconnectSignal } from '../../../fastify/disconnect.ts';
import { problemResponses } from '../../problem.ts';
import { namesIn, organizationPath, pageQuery, repositoriesText, scopeOf } from '../request-parts.ts';

const searchQuery = pageQuery.extend({
  q: z
    .string()
    .describe(
      'The query: words, "phrase", /regex/, `or`, `-`, ( ), repo: file: lang: sym: branch: content: case: type:.',
    ),
  repositories: repositoriesText,
  matches: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe('Matching lines of one file. The cursor of a page of one file continues in that file.'),
  context: z.coerce.number().int().min(0).max(10).default(0).describe('Lines before and after each match.'),
});

const lines = 'application/x-ndjson';

const found = {
  description: `Best files first. With \`Accept: ${lines}\`, one line per file, then one line with the summary.`,
  content: {
    'application/json': { schema: searchPageRecord },
    [lines]: { schema: z.union([fileMatchRecord, searchSummaryRecord]) },
  },
};

export function searchRoutes(deps: Parameters<typeof searchCode>[0]): FastifyPluginAsyncZod {
  return async (server) => {
    server.get(
      '/search',
      {
        config: { role: 'member', limitedKeys: true },
        schema: {
          operationId: 'searchCode',
          tags: ['Search'],
          summary: 'Search the indexed code, best files first',
          params: organizationPath,
          querystring: searchQuery,
          response: { 200: found, ...problemResponses(400, 401, 403, 429, 503) },
        },
      },
      async (request, reply) => {
        const gone = disconnectSignal(reply);
        const page = await searchCode(
          deps,
          scopeOf(request),
          given({ ...request.query, repositories: namesIn(request.query.repositories) }),
          gone,
        );
        return prefersType(request, lines, 'application/json')
          ? sendLines(reply, page)
          : reply.type('application/json').send(page);
      },
    );
  };
}

/** Streams the page at the speed of the caller, until they disconnect. */
function sendLines(reply: FastifyReply, { items, ...summary }: CodeSearchPage): FastifyReply {
  function* each(): Generator<string> {
    for (const item of items) yield lineOf(fileMatchRecord.parse(item));
    yield lineOf(searchSummaryRecord.parse(summary));
  }
  return reply.type(lines).send(Readable.from(each()));
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
