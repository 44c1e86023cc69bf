import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { findReferences, type ReferenceDeps } from '../../../../features/references/find-references.ts';
import { referenceKind, referencePageRecord } from '../../../../features/references/reference-record.ts';
import { disconnectSignal } from '../../../fastify/disconnect.ts';
import { problemResponses } from '../../problem.ts';
import { namesIn, organizationPath, pageQuery, repositoriesText, scopeOf } from '../request-parts.ts';

const referencesQuery = pageQuery.extend({
  name: z
    .string()
    .max(1_000)
    .optional()
    .describe('A name, also a qualified one such as `Lease.renew`; or `address`.'),
  address: z
    .string()
    .max(5_000)
    .optional()
    .describe('The line of a definition, `repository/path:10`, or the key of a symbol; or `name`.'),
  repositories: repositoriesText,
  kind: referenceKind.optional().describe('Only lines that use the name in this way.'),
});

export function referencesRoutes(deps: ReferenceDeps): FastifyPluginAsyncZod {
  return async (server) => {
    server.get(
      '/references',
      {
        config: { role: 'member', limitedKeys: true },
        schema: {
          operationId: 'listReferences',
          tags: ['Search'],
          summary: 'Every use of a name or definition, complete and counted',
          params: organizationPath,
          querystring: referencesQuery,
          response: { 200: referencePageRecord, ...problemResponses(400, 401, 403, 404, 429, 503) },
        },
      },
      (request, reply) => {
        const input = { ...request.query, repositories: namesIn(request.query.repositories) };
        return findReferences(deps, scopeOf(request), input, disconnectSignal(reply));
      },
    );
  };
}
