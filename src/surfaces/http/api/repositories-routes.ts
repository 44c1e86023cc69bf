import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { addRepository } from '../../../features/repositories/add-repository.ts';
import { removeRepository } from '../../../features/repositories/remove-repository.ts';
import type { RepositoriesDeps } from '../../../features/repositories/repositories-deps.ts';
import { listRepositories, requireRepository } from '../../../features/repositories/repository-store.ts';
import { syncRepository } from '../../../features/repositories/sync-repository.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { problemResponses } from '../problem.ts';
import { type RepositoryRecord, repositoryRecord, toRecord } from './repository-record.ts';
import {
  organizationPath,
  type PageQuery,
  pageQuery,
  repositoryIdOf,
  repositoryPath,
  scopeOf,
} from './request-parts.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['Repositories'];

export function repositoriesRoutes(deps: RepositoriesDeps): FastifyPluginAsyncZod {
  return async (server) => {
    serveList(server, deps);
    serveAdd(server, deps);
    serveOne(server, deps);
    serveRemove(server, deps);
    serveSync(server, deps);
  };
}

const repositoryPage = z.object({
  items: z.array(repositoryRecord),
  nextCursor: z.string().nullable(),
});

function serveList(server: Server, deps: RepositoriesDeps): void {
  server.get(
    '/repositories',
    {
      config: { role: 'member' },
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
  return { items: page.items.map(toRecord), nextCursor: page.nextCursor };
}

const newRepository = z.strictObject({
  source: z.string().min(1).max(2048).describe('An https or ssh URL, or a folder of the host where allowed.'),
  branch: z.string().min(1).max(255).nullish().describe("Default: the source's own."),
  branches: z
    .array(z.string().max(255))
    .max(63)
    .nullish()
    .describe('Further branches: exact names, or patterns such as `release/*`; at most 63 are followed.'),
  name: z.string().min(1).max(200).nullish().describe('Default: taken from the source.'),
  githostConnectionId: z.string().min(1).max(100).nullish(),
});

function serveAdd(server: Server, deps: RepositoriesDeps): void {
  server.post(
    '/repositories',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'addRepository',
        tags,
        summary: 'Add a repository; cloning and indexing start',
        params: organizationPath,
        body: newRepository,
        response: { 201: repositoryRecord, ...problemResponses(400, 401, 403, 409, 413, 415, 429) },
      },
    },
    async (request, reply) => {
      const { source, branch, branches, name, githostConnectionId } = request.body;
      const repository = await addRepository(deps, scopeOf(request), {
        source,
        branch: branch ?? undefined,
        branches: branches ?? undefined,
        name: name ?? undefined,
        githostConnectionId: githostConnectionId ?? undefined,
      });
      return reply.code(201).send(toRecord(repository));
    },
  );
}

function serveOne(server: Server, deps: RepositoriesDeps): void {
  server.get(
    '/repositories/:id',
    {
      config: { role: 'member' },
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
  return toRecord(await requireRepository(database.queries, scope, id));
}

function serveRemove(server: Server, deps: RepositoriesDeps): void {
  server.delete(
    '/repositories/:id',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'removeRepository',
        tags,
        summary: 'Remove a repository; nothing answers from it from now on',
        params: repositoryPath,
        response: { 202: repositoryRecord, ...problemResponses(401, 403, 404, 429) },
      },
    },
    async (request, reply) => {
      const id = repositoryIdOf(request.params.id);
      return reply.code(202).send(toRecord(await removeRepository(deps, scopeOf(request), id)));
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
        summary: 'Bring a repository up to its source; the last good index answers meanwhile',
        params: repositoryPath,
        response: { 202: repositoryRecord, ...problemResponses(401, 403, 404, 409, 429) },
      },
    },
    async (request, reply) => {
      const id = repositoryIdOf(request.params.id);
      return reply.code(202).send(toRecord(await syncRepository(deps, scopeOf(request), id)));
    },
  );
}
