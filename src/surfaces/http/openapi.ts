import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import {
  type FastifyPluginAsyncZod,
  jsonSchemaTransform,
  jsonSchemaTransformObject,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import { describeDocument } from './api-reference/describe-document.ts';
import { problemResponses } from './problem.ts';
import { pruneComponents } from './prune-components.ts';

export interface OpenApiInfo {
  readonly baseUrl: string;
  readonly version: string;
}

/** Builds the OpenAPI description from the validation schemas. Must be called before routes are registered. */
export async function describeApi(server: FastifyInstance, { baseUrl, version }: OpenApiInfo): Promise<void> {
  await server.register(swagger, {
    stripBasePath: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'orgctx',
        version,
        description:
          'Organization-scoped context for AI agents: the REST interface that complements the MCP server.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or an OAuth access token.' },
        },
      },
      security: [{ bearer: [] }],
    },
    // A route without schemas is not part of the REST interface, such as preflights and the MCP endpoint.
    transform: (route) =>
      route.schema === undefined ? { schema: { hide: true }, url: route.url } : jsonSchemaTransform(route),
    transformObject: (document) =>
      describeDocument(pruneComponents(jsonSchemaTransformObject(document)), server.routeTable),
  });
}

/** Serves the description at the origin root, without authentication (contract section 3). */
export function openapiRoutes(): FastifyPluginAsyncZod {
  return async (server) => {
    server.get(
      '/openapi.json',
      {
        schema: {
          operationId: 'getOpenApi',
          tags: ['Service'],
          summary: 'This description (OpenAPI 3.1)',
          security: [],
          response: { 200: z.looseObject({ openapi: z.string() }), ...problemResponses(429) },
        },
      },
      async (_request, reply) => {
        reply.header('cache-control', 'public, max-age=300');
        return { ...server.swagger() } as { openapi: string };
      },
    );
  };
}
