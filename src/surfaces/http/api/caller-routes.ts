import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { AuthenticateDeps } from '../../../features/identity/access/authenticate.ts';
import { describeCaller } from '../../../features/identity/access/describe-caller.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import { admitRequest, admittingRoutes } from '../../fastify/admit-request.ts';
import { namedOrganization } from '../../fastify/named-organization.ts';
import { accessOf } from '../../fastify/request-fields.ts';
import { problemResponses } from '../problem.ts';

const where = z.object({
  orgSlug: z
    .string()
    .optional()
    .describe('Slug of the organization: required with an API key; an OAuth token knows its own.'),
});

const caller = z
  .object({
    user: z.object({ id: z.string(), email: z.string() }),
    organization: z.object({
      slug: z.string(),
      name: z.string(),
      role: z.enum(['owner', 'admin', 'member']),
    }),
    credential: z.object({
      kind: z.enum(['api-key', 'oauth']),
      id: z.string().describe('Of the API key or the grant.'),
      name: z.string().describe('What the key is called, or the client that was authorized.'),
      expiresAt: z.iso.datetime().nullable().describe('Of a grant: when it ends unless it is used.'),
    }),
    scopes: z.array(z.string()),
  })
  .meta({ id: 'Caller' });

/**
 * Who a credential is. It stands outside `/:orgSlug/api/v1`: a client that signed in by OAuth learns here which
 * organization was chosen. Admitted like everything else of REST, with the slug where /mcp has it.
 */
export function callerRoutes(identity: AuthenticateDeps): FastifyPluginAsyncZod {
  return async (server) => {
    admittingRoutes(server);
    server.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const orgSlug = namedOrganization(request.query);
      await admitRequest(request, identity, { orgSlug, scope: 'api' });
    });
    server.get(
      '/me',
      {
        schema: {
          operationId: 'getCaller',
          tags: ['Identity'],
          summary: 'Who the caller is, in which organization, with which credential',
          querystring: where,
          response: { 200: caller, ...problemResponses(400, 401, 403, 429, 503) },
        },
      },
      (request) => callerRecord(identity, request),
    );
  };
}

async function callerRecord(
  { queries }: AuthenticateDeps,
  request: FastifyRequest,
): Promise<z.output<typeof caller>> {
  const { credential, scopes, ...rest } = await describeCaller(queries, accessOf(request));
  const { expiresAt } = credential;
  return {
    ...rest,
    credential: { ...credential, expiresAt: expiresAt === undefined ? null : isoTime(expiresAt) },
    scopes: [...scopes],
  };
}
