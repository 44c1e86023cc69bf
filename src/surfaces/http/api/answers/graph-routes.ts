import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  askImpact,
  getEntity,
  relatedEntities,
  searchEntities,
} from '../../../../features/knowledge/ask-graph.ts';
import {
  entityPageRecord,
  entityRecord,
  impactRecord,
  relatedRecord,
} from '../../../../features/knowledge/entity-record.ts';
import type { KnowledgeDeps } from '../../../../features/knowledge/knowledge-deps.ts';
import { disconnectSignal } from '../../../fastify/disconnect.ts';
import { problemResponses } from '../../problem.ts';
import { organizationPath, pageQuery, scopeOf } from '../request-parts.ts';

const tags = ['Graph'];

const entityPath = organizationPath.extend({
  key: z
    .string()
    .describe(
      'Key of the entity, percent-encoded, an identifier such as `ENG-123`, or the key of a commit with 7 digits or more of its id.',
    ),
});

const searchQuery = pageQuery.extend({
  q: z.string().min(1).max(200).describe('The beginning of the name, or words of it.'),
  kind: z.string().min(1).max(200).optional().describe('Only these kinds, separated by commas.'),
  // It has a name and a key, which are longer than what other cursors have.
  cursor: z.string().min(1).max(4000).optional().describe('`nextCursor` of the previous page.'),
});

const relatedQuery = z.object({
  depth: z.coerce.number().int().min(1).max(3).default(1),
  kinds: z.string().min(1).max(500).optional().describe('Only edges of these kinds, separated by commas.'),
  direction: z.enum(['out', 'in', 'both']).default('both'),
  limit: z.coerce.number().int().min(1).max(500).default(100).describe('Maximum number of other entities.'),
});

const impactQuery = z.object({
  repository: z.string().min(1).max(200).describe('Name or id.'),
  path: z.string().min(1).max(4096).optional(),
  symbol: z
    .string()
    .min(1)
    .max(1024)
    .optional()
    .describe('Name or key of a symbol; with `path`, of that file.'),
});

export function graphRoutes(deps: KnowledgeDeps): FastifyPluginAsyncZod {
  return async (server) => {
    server.get(
      '/graph/entities',
      {
        config: { role: 'member', limitedKeys: true },
        schema: {
          operationId: 'searchEntities',
          tags,
          summary: 'Find entities of the knowledge graph by name',
          params: organizationPath,
          querystring: searchQuery,
          response: { 200: entityPageRecord, ...problemResponses(400, 401, 403, 429, 503) },
        },
      },
      (request) => {
        const { q, kind, limit, cursor } = request.query;
        return searchEntities(deps, scopeOf(request), { text: q, kinds: listOf(kind), limit, cursor });
      },
    );

    server.get(
      '/graph/entities/:key',
      {
        config: { role: 'member', limitedKeys: true, conditional: true },
        schema: {
          operationId: 'getEntity',
          tags,
          summary: 'An entity of the knowledge graph',
          params: entityPath,
          response: { 200: entityRecord, ...problemResponses(400, 401, 403, 404, 429, 503) },
        },
      },
      (request, reply) => getEntity(deps, scopeOf(request), request.params.key, disconnectSignal(reply)),
    );

    server.get(
      '/graph/entities/:key/related',
      {
        config: { role: 'member', limitedKeys: true, conditional: true },
        schema: {
          operationId: 'getRelatedEntities',
          tags,
          summary: 'What an entity is connected with, and why',
          params: entityPath,
          querystring: relatedQuery,
          response: { 200: relatedRecord, ...problemResponses(400, 401, 403, 404, 429, 503) },
        },
      },
      (request, reply) => {
        const { depth, kinds, direction, limit } = request.query;
        const question = { entity: request.params.key, kinds: listOf(kinds), direction, limit };
        const asked = { ...question, depth: depth as 1 | 2 | 3 };
        return relatedEntities(deps, scopeOf(request), asked, disconnectSignal(reply));
      },
    );

    server.get(
      '/graph/impact',
      {
        config: { role: 'member', limitedKeys: true, conditional: true },
        schema: {
          operationId: 'getImpact',
          tags,
          summary: 'What a change of a file or symbol touches: dependents, owners, open issues and incidents',
          params: organizationPath,
          querystring: impactQuery,
          response: { 200: impactRecord, ...problemResponses(400, 401, 403, 404, 429, 503) },
        },
      },
      (request) => askImpact(deps, scopeOf(request), request.query),
    );
  };
}

function listOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((part) => part.trim());
}
