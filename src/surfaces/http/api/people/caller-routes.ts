import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { AuthenticateDeps } from '../../../../features/identity/access/authenticate.ts';
import {
  type CallerRecord,
  callerRecord,
  toCallerRecord,
} from '../../../../features/identity/access/caller-record.ts';
import { describeCaller } from '../../../../features/identity/access/describe-caller.ts';
import type { Access } from '../../../../features/identity/access/principal.ts';
import { describeGrant } from '../../../../features/oauth/grants/grant-store.ts';
import { admitRequest, markAdmittingRoutes } from '../../../fastify/admit-request.ts';
import { namedOrganization } from '../../../fastify/named-organization.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';

const callerQuery = z.object({
  orgSlug: z
    .string()
    .optional()
    .describe('Slug of the organization. Required with an API key; an OAuth token is bound to one.'),
});

/**
 * Registers the route that identifies the caller. It is outside `/:orgSlug/api/v1`, so that an OAuth client can read
 * which organization was chosen. Callers are admitted like on all REST routes, with the slug in the query like on
 * /mcp.
 */
export function callerRoutes(identity: AuthenticateDeps): FastifyPluginAsyncZod {
  return async (server) => {
    markAdmittingRoutes(server);
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
          summary: 'The user, organization and credential of the caller',
          querystring: callerQuery,
          response: { 200: callerRecord, ...problemResponses(400, 401, 403, 429, 503) },
        },
      },
      (request) => recordOf(identity, accessOf(request)),
    );
  };
}

async function recordOf({ queries }: AuthenticateDeps, access: Access): Promise<CallerRecord> {
  return toCallerRecord(await describeCaller({ queries, describeGrant }, access));
}
