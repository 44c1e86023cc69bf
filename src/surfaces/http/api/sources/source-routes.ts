import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { listSource, type ReadSourceDeps, readSource } from '../../../../features/search/read-source.ts';
import { fileRecord, treeRecord } from '../../../../features/search/source-record.ts';
import { commitPrefix } from '../../../../foundation/git/objects/commit-id.ts';
import { given } from '../../../../foundation/kernel/wire/given.ts';
import { disconnectSignal } from '../../../fastify/disconnect.ts';
import { problemResponses } from '../../problem.ts';
import { linesOf, linesText, repositoryIdOf, repositoryPath, scopeOf } from '../request-parts.ts';

const tags = ['Source'];

const commit = z
  .string()
  .toLowerCase()
  .regex(commitPrefix, 'must be a commit id, complete or shortened to at least 7 digits')
  .optional()
  .describe('Default: the indexed commit.');

const path = z.string().max(4096).describe('Path from the root of the repository.');

const treeQuery = z.object({ path: path.default(''), commit });

const fileQuery = z.object({
  path: path.min(1),
  lines: linesText.describe('`10-20`, `10` or `10-`; at most 500 lines.'),
  commit,
});

export function sourceRoutes(deps: ReadSourceDeps): FastifyPluginAsyncZod {
  return async (server) => {
    server.get(
      '/repositories/:id/tree',
      {
        config: { role: 'member', limitedKeys: true, conditional: true },
        schema: {
          operationId: 'getTree',
          tags,
          summary: 'The entries of a folder at a commit',
          params: repositoryPath,
          querystring: treeQuery,
          response: { 200: treeRecord, ...problemResponses(400, 401, 403, 404, 429) },
        },
      },
      async (request, reply) => {
        const input = { repository: repositoryIdOf(request.params.id), ...given(request.query) };
        return listSource(deps, scopeOf(request), input, disconnectSignal(reply));
      },
    );

    server.get(
      '/repositories/:id/file',
      {
        config: { role: 'member', limitedKeys: true, conditional: true },
        schema: {
          operationId: 'getFile',
          tags,
          summary: 'Lines of a file at a commit',
          params: repositoryPath,
          querystring: fileQuery,
          response: { 200: fileRecord, ...problemResponses(400, 401, 403, 404, 413, 429) },
        },
      },
      async (request, reply) => {
        const { lines, ...query } = request.query;
        const asked = { repository: repositoryIdOf(request.params.id), ...query, lines: linesOf(lines) };
        const input = given(asked);
        return readSource(deps, scopeOf(request), input, disconnectSignal(reply));
      },
    );
  };
}
