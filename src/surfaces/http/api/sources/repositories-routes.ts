import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { actorOf } from '../../../../features/identity/audit/audit.ts';
import type { RepositoriesDeps } from '../../../../features/repositories/repositories-deps.ts';
import {
  type RepositoryRecord,
  repositoryRecord,
  toRepositoryRecord,
} from '../../../../features/repositories/repository-record.ts';
import { listRepositories, requireRepository } from '../../../../features/repositories/repository-store.ts';
import { addRepository } from '../../../../features/repositories/setup/add-repository.ts';
import { removeRepository } from '../../../../features/repositories/setup/remove-repository.ts';
import { setRepository } from '../../../../features/repositories/setup/set-repository.ts';
import { syncRepository } from '../../../../features/repositories/sync-repository.ts';
import type { OrgScope } from '../../../../foundation/kernel/org-scope.ts';
import { pageRecord } from '../../../../foundation/kernel/wire/page-record.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';
import {
  organizationPath,
  type PageQuery,
  pageQuery,
  repositoryIdOf,
  repositoryPath,
  scopeOf,
} from '../request-parts.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['Repositories'];

export function repositoriesRoutes(deps: RepositoriesDeps): FastifyPluginAsyncZod {
  return async (server) => {
    serveList(server, deps);
    serveAdd(server, deps);
    serveOne(server, deps);
    serveSet(server, deps);
    serveRemove(server, deps);
    serveSync(server, deps);
  };
}

const repositoryPage = pageRecord(repositoryRecord);

function serveList(server: Server, deps: RepositoriesDeps): void {
  server.get(
    '/repositories',
    {
      config: { role: 'member', limitedKeys: true },
      schema: {
        operationId: 'listRepositories',
        tags,
        summary: 'Repositories of the organization, oldest first',
        params: organizationPath,
        querystring: pageQuery,
        response: { 200: repositoryPage, ...problemResponses(400, 401, 403, 429) },
      },
    },
    (request) => pageOf(deps, scopeOf(request), request.query),
  );
}

async function pageOf({ database }: RepositoriesDeps, scope: OrgScope, query: PageQuery) {
  const page = await listRepositories(database.queries, scope, query);
  return { items: page.items.map(toRepositoryRecord), nextCursor: page.nextCursor };
}

const newRepository = z.strictObject({
  source: z.string().min(1).max(2048).describe('An https or ssh URL, or a folder of the host where allowed.'),
  branch: z.string().min(1).max(255).nullish().describe('Default: the default branch of the source.'),
  branches: z
    .array(z.string().max(255))
    .max(63)
    .nullish()
    .describe('Further branches: exact names, or patterns such as `release/*`; at most 63 are followed.'),
  name: z.string().min(1).max(200).nullish().describe('Default: derived from the source.'),
  githostConnectionId: z
    .string()
    .min(1)
    .max(100)
    .nullish()
    .describe('Reads the source with this connection; `source` may then be a full name there.'),
});

function serveAdd(server: Server, deps: RepositoriesDeps): void {
  server.post(
    '/repositories',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'createRepository',
        tags,
        summary: 'Add a repository; cloning and indexing start',
        params: organizationPath,
        body: newRepository,
        response: { 201: repositoryRecord, ...problemResponses(400, 401, 403, 409, 413, 415, 429) },
      },
    },
    async (request, reply) => {
      const { source, branch, branches, name, githostConnectionId } = request.body;
      const repository = await addRepository(deps, scopeOf(request), actorOf(accessOf(request)), {
        source,
        branch: branch ?? undefined,
        branches: branches ?? undefined,
        name: name ?? undefined,
        githostConnectionId: githostConnectionId ?? undefined,
      });
      return reply.code(201).send(toRepositoryRecord(repository));
    },
  );
}

function serveOne(server: Server, deps: RepositoriesDeps): void {
  server.get(
    '/repositories/:id',
    {
      config: { role: 'member', limitedKeys: true, conditional: true },
      schema: {
        operationId: 'getRepository',
        tags,
        summary: 'One repository: its state, progress and last error',
        params: repositoryPath,
        response: { 200: repositoryRecord, ...problemResponses(401, 403, 404, 429) },
      },
    },
    (request) => recordOf(deps, scopeOf(request), request.params.id),
  );
}

async function recordOf(
  { database }: RepositoriesDeps,
  scope: OrgScope,
  id: string,
): Promise<RepositoryRecord> {
  return toRepositoryRecord(await requireRepository(database.queries, scope, id));
}

const repositoryChanges = z
  .strictObject({
    source: newRepository.shape.source.nullish(),
    branch: newRepository.shape.branch.describe('`null` follows the default branch of the source.'),
    branches: newRepository.shape.branches,
    name: newRepository.shape.name,
    githostConnectionId: newRepository.shape.githostConnectionId.describe(
      '`null` reads the source without credentials.',
    ),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    error: 'must have at least one field',
  });

function serveSet(server: Server, deps: RepositoriesDeps): void {
  server.patch(
    '/repositories/:id',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'updateRepository',
        tags,
        summary: 'Change the source, credentials, branches or name of a repository, and sync it',
        params: repositoryPath,
        body: repositoryChanges,
        response: { 200: repositoryRecord, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429) },
      },
    },
    (request) => {
      const { source, branch, branches, name, githostConnectionId } = request.body;
      const changes = {
        source: source ?? undefined,
        branch,
        branches: branches ?? undefined,
        name: name ?? undefined,
        githostConnectionId,
      };
      const id = repositoryIdOf(request.params.id);
      return setRepository(deps, scopeOf(request), actorOf(accessOf(request)), id, changes).then(
        toRepositoryRecord,
      );
    },
  );
}

function serveRemove(server: Server, deps: RepositoriesDeps): void {
  server.delete(
    '/repositories/:id',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'deleteRepository',
        tags,
        summary: 'Remove a repository; it is no longer searchable',
        params: repositoryPath,
        response: { 202: repositoryRecord, ...problemResponses(401, 403, 404, 429) },
      },
    },
    async (request, reply) => {
      const id = repositoryIdOf(request.params.id);
      return reply
        .code(202)
        .send(
          toRepositoryRecord(await removeRepository(deps, scopeOf(request), actorOf(accessOf(request)), id)),
        );
    },
  );
}

function serveSync(server: Server, deps: RepositoriesDeps): void {
  server.post(
    '/repositories/:id/sync',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'syncRepository',
        tags,
        summary: 'Sync a repository with its source; searches use the previous index meanwhile',
        params: repositoryPath,
        response: { 202: repositoryRecord, ...problemResponses(401, 403, 404, 409, 429) },
      },
    },
    async (request, reply) => {
      const id = repositoryIdOf(request.params.id);
      return reply
        .code(202)
        .send(
          toRepositoryRecord(await syncRepository(deps, scopeOf(request), actorOf(accessOf(request)), id)),
        );
    },
  );
}
