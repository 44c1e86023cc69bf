import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Access } from '../../../../features/identity/access/principal.ts';
import {
  apiKeyRecord,
  newApiKeyRecord,
  toApiKeyRecord,
} from '../../../../features/identity/api-keys/api-key-record.ts';
import { maxRepositories } from '../../../../features/identity/api-keys/create-api-key.ts';
import { parseDuration } from '../../../../features/identity/api-keys/duration.ts';
import {
  createOwnApiKey,
  listOwnApiKeys,
  revokeOwnApiKey,
} from '../../../../features/identity/api-keys/own-api-keys.ts';
import { getRepository } from '../../../../features/repositories/repository-store.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { invalidField } from '../../../../foundation/kernel/wire/invalid-field.ts';
import { pageRecord } from '../../../../foundation/kernel/wire/page-record.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';
import { organizationPath, type PageQuery, pageQuery } from '../request-parts.ts';
import type { PeopleDeps } from './people-deps.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['API keys'];

/**
 * Registers the routes for the API keys of the caller, independent of the organization in the path: a key works in
 * every organization of its user. A key that is created with the login of `orgctx login` works only in the
 * organization of that login. Other OAuth clients cannot create keys.
 */
export function apiKeysRoutes(deps: PeopleDeps): FastifyPluginAsyncZod {
  return async (server) => {
    serveList(server, deps);
    serveCreate(server, deps);
    serveRemove(server, deps);
  };
}

const apiKeyPage = pageRecord(apiKeyRecord);

function serveList(server: Server, deps: PeopleDeps): void {
  server.get(
    '/api-keys',
    {
      config: { role: 'member' },
      schema: {
        operationId: 'listApiKeys',
        tags,
        summary: 'API keys of the caller, oldest first; never the keys themselves',
        params: organizationPath,
        querystring: pageQuery,
        response: { 200: apiKeyPage, ...problemResponses(400, 401, 403, 429) },
      },
    },
    (request) => recordPage(deps, accessOf(request), request.query),
  );
}

async function recordPage(deps: PeopleDeps, access: Access, query: PageQuery) {
  const { items, nextCursor } = await listOwnApiKeys(deps, access, query);
  return { items: items.map(toApiKeyRecord), nextCursor };
}

/** Strict, because the owner of the key comes from the credential and never from the body (CVE-2025-61928). */
const newKey = z.strictObject({
  name: z.string().min(1).max(100).describe('What the key is for.'),
  expiresIn: z
    .string()
    .max(20)
    .nullish()
    .describe('Lifetime such as `90d`, `12h`, `30m` or `2w`. Default: until the key is deleted.'),
  repositories: z
    .array(z.string().max(100), 'must be a list of ids; leave it out for a key without a limit')
    .min(1, 'must name a repository; leave it out for a key without a limit')
    .max(maxRepositories)
    .optional()
    .describe(
      'Ids of the only repositories that the key reads, of the organization of the path: it searches, reads files and the ' +
        'graph, and asks; nothing else, whatever the role of its user. Default: the access of its user.',
    ),
});

/** Checks that the repositories exist. @throws InvalidInput naming the first that does not */
async function checkedRepositories(
  { database }: PeopleDeps,
  access: Access,
  ids: readonly string[],
): Promise<readonly RepositoryId[]> {
  const checked: RepositoryId[] = [];
  for (const [index, id] of [...new Set(ids)].entries()) {
    const found = await getRepository(database.queries, access.scope, id);
    if (found === undefined) {
      const message =
        'is not the id of a repository of this organization; list the repositories to see their ids';
      throw invalidField(`repositories.${index}`, message);
    }
    checked.push(found.id);
  }
  return checked;
}

function serveCreate(server: Server, deps: PeopleDeps): void {
  server.post(
    '/api-keys',
    {
      config: { role: 'member' },
      schema: {
        operationId: 'createApiKey',
        tags,
        summary: 'Create an API key of the caller, with the access of the caller',
        description:
          'Requires an API key or the login of `orgctx login`. Any other OAuth client is refused (`forbidden`), because a ' +
          'key outlives its grant.',
        params: organizationPath,
        body: newKey,
        response: { 201: newApiKeyRecord, ...problemResponses(400, 401, 403, 409, 413, 415, 429) },
      },
    },
    async (request, reply) => {
      const { name, expiresIn, repositories } = request.body;
      const lifetime = expiresIn == null ? undefined : parseDuration(expiresIn, 'expiresIn');
      const access = accessOf(request);
      const { apiKey, ...key } = await createOwnApiKey(deps, access, {
        name,
        expiresIn: lifetime,
        repositories:
          repositories === undefined ? undefined : await checkedRepositories(deps, access, repositories),
      });
      return reply.code(201).send({ ...toApiKeyRecord(key), apiKey });
    },
  );
}

function serveRemove(server: Server, deps: PeopleDeps): void {
  server.delete(
    '/api-keys/:id',
    {
      config: { role: 'member' },
      schema: {
        operationId: 'deleteApiKey',
        tags,
        summary: 'Revoke an API key of the caller',
        params: organizationPath.extend({ id: z.string().describe('Id of the key.') }),
        response: {
          204: z.null().describe('The key no longer works.'),
          ...problemResponses(401, 403, 404, 429),
        },
      },
    },
    async (request, reply) => {
      await revokeOwnApiKey(deps, accessOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
}
