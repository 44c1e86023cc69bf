import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ensurePullRequest } from '../../../../features/connectors/configuration/ensure-pull-request.ts';
import {
  authorizationRecord,
  connectionRecord,
  pullRequestRecord,
  toConnectionRecord,
  toPullRequestRecord,
} from '../../../../features/connectors/connections/connection-record.ts';
import type { SetupDeps } from '../../../../features/connectors/connections/connections-deps.ts';
import { showConnection } from '../../../../features/connectors/connections/show-connections.ts';
import { scopeOptionRecord } from '../../../../features/connectors/port.ts';
import { beginAuthorization } from '../../../../features/connectors/setup/authorize-connection.ts';
import { bindConnection } from '../../../../features/connectors/setup/bind-connection.ts';
import { listScopeOptions } from '../../../../features/connectors/setup/fresh-tokens.ts';
import { rebuildConnection, syncConnection } from '../../../../features/connectors/setup/sync-connection.ts';
import { actorOf } from '../../../../features/identity/audit/audit.ts';
import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import { pageRecord } from '../../../../foundation/kernel/wire/page-record.ts';
import { disconnectSignal } from '../../../fastify/disconnect.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';
import { connectionIdOf, connectionPath, pageQuery, scopeOf } from '../request-parts.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['Connections'];
const role = 'admin';

/** The steps that set a connection up, in their order. */
export function connectionSetupRoutes(deps: SetupDeps): FastifyPluginAsyncZod {
  return async (server) => {
    serveAuthorize(server, deps);
    serveScopeOptions(server, deps);
    serveBinding(server, deps);
    servePullRequest(server, deps);
    serveSync(server, deps);
    serveRebuild(server, deps);
  };
}

function serveAuthorize(server: Server, deps: SetupDeps): void {
  server.post(
    '/connections/:id/authorize',
    {
      config: { role },
      schema: {
        operationId: 'authorizeConnection',
        tags,
        summary: 'The page at which a person authorizes the account; valid once, for 10 minutes',
        params: connectionPath,
        response: {
          200: authorizationRecord,
          ...problemResponses(401, 403, 404, 409, 429),
        },
      },
    },
    async (request, reply) => {
      const id = connectionIdOf(request.params.id);
      const signal = disconnectSignal(reply);
      return { authorizationUrl: await beginAuthorization(deps, scopeOf(request), id, signal) };
    },
  );
}

const optionsQuery = pageQuery.extend({
  q: z.string().min(1).max(200).optional().describe('Part of the name.'),
  cursor: z.string().min(1).max(2_000).optional().describe('`nextCursor` of the previous page.'),
});

function serveScopeOptions(server: Server, deps: SetupDeps): void {
  server.get(
    '/connections/:id/scope-options',
    {
      config: { role },
      schema: {
        operationId: 'listScopeOptions',
        tags,
        summary: 'What the scope of a connection can name, as its account sees it',
        params: connectionPath,
        querystring: optionsQuery,
        response: {
          200: pageRecord(scopeOptionRecord),
          ...problemResponses(400, 401, 403, 404, 409, 429, 502, 503),
        },
      },
    },
    async (request, reply) => {
      const { q: query, cursor, limit } = request.query;
      const wanted = { query, cursor, limit };
      const { id } = request.params;
      const page = await listScopeOptions(deps, scopeOf(request), id, wanted, disconnectSignal(reply));
      const items = page.items.map((item) => scopeOptionRecord.parse(item));
      return { items, nextCursor: page.nextCursor ?? null };
    },
  );
}

const binding = z
  .strictObject({
    githostConnectionId: z.string().min(1).max(100),
    repository: z.string().min(1).max(1_000).describe('Full name, or URL at the Git host.'),
    branch: z.string().min(1).max(250).nullish().describe('Default: the default branch.'),
    scope: z
      .record(z.string(), z.unknown())
      .describe('What is mirrored: the block `scope` of the configuration file.'),
  })
  .meta({ id: 'RequestedBinding' });

function bindingOf({ branch, ...rest }: z.output<typeof binding>) {
  return { ...rest, branch: branch ?? undefined };
}

function serveBinding(server: Server, deps: SetupDeps): void {
  server.put(
    '/connections/:id/binding',
    {
      config: { role },
      schema: {
        operationId: 'updateConnectionBinding',
        tags,
        summary: 'Choose repository, branch and scope of a connection',
        params: connectionPath,
        body: binding,
        response: {
          200: connectionRecord,
          ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429, 502, 503),
        },
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request);
      const id = connectionIdOf(request.params.id);
      const wanted = bindingOf(request.body);
      const actor = actorOf(accessOf(request));
      await bindConnection(deps, { scope, actor, id, request: wanted }, disconnectSignal(reply));
      return toConnectionRecord(await showConnection(deps, scope, id));
    },
  );
}

const newPullRequest = z.strictObject({ binding: binding.nullish() }).nullish();

function servePullRequest(server: Server, deps: SetupDeps): void {
  server.post(
    '/connections/:id/pull-request',
    {
      config: { role },
      schema: {
        operationId: 'createConnectionPullRequest',
        tags,
        summary: 'Open the configuration pull request, or retry it; what is on its branch is never changed',
        params: connectionPath,
        body: newPullRequest,
        response: {
          200: pullRequestRecord,
          ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429, 502, 503),
        },
      },
    },
    async (request, reply) => {
      const id = connectionIdOf(request.params.id);
      const wanted = request.body?.binding ? bindingOf(request.body.binding) : undefined;
      const actor = actorOf(accessOf(request));
      const signal = disconnectSignal(reply);
      const pull = await ensurePullRequest(deps, scopeOf(request), actor, id, wanted, signal).catch(
        inBinding,
      );
      return toPullRequestRecord(pull);
    },
  );
}

/** Throws an error of a binding with its place in the body of a pull request. */
function inBinding(error: unknown): never {
  if (!(error instanceof InvalidInput)) throw error;
  const { message, code, detail = {} } = error;
  const errors = error.errors.map((field) => ({ ...field, path: `/binding${field.path}` as const }));
  throw new InvalidInput(message, { code, detail, cause: error, errors });
}

function serveRebuild(server: Server, deps: SetupDeps): void {
  server.post(
    '/connections/:id/rebuild',
    {
      config: { role },
      schema: {
        operationId: 'rebuildConnection',
        tags,
        summary: 'Read everything from the provider and write all mirrored files again, in one commit',
        params: connectionPath,
        response: {
          202: connectionRecord.describe('Started.'),
          ...problemResponses(400, 401, 403, 404, 409, 429),
        },
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request);
      const id = connectionIdOf(request.params.id);
      await rebuildConnection(deps, scope, actorOf(accessOf(request)), id);
      return reply.code(202).send(toConnectionRecord(await showConnection(deps, scope, id)));
    },
  );
}

const syncRequest = z
  .strictObject({ full: z.boolean().default(false).describe('Also look for deleted entities.') })
  .nullish();

function serveSync(server: Server, deps: SetupDeps): void {
  server.post(
    '/connections/:id/sync',
    {
      config: { role },
      schema: {
        operationId: 'syncConnection',
        tags,
        summary: 'Read the configuration and compare the provider with the mirrored files now',
        params: connectionPath,
        body: syncRequest,
        response: {
          202: connectionRecord.describe('Started.'),
          ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429),
        },
      },
    },
    async (request, reply) => {
      const scope = scopeOf(request);
      const id = connectionIdOf(request.params.id);
      const full = request.body?.full ?? false;
      await syncConnection(deps, scope, actorOf(accessOf(request)), id, { full });
      return reply.code(202).send(toConnectionRecord(await showConnection(deps, scope, id)));
    },
  );
}
