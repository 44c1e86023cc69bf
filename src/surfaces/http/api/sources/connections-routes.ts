import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { connectionLimits } from '../../../../features/connectors/connections/connection.ts';
import {
  type ConnectionRecord,
  connectionRecord,
  toConnectionRecord,
} from '../../../../features/connectors/connections/connection-record.ts';
import type { ConnectionsDeps } from '../../../../features/connectors/connections/connections-deps.ts';
import { createConnection } from '../../../../features/connectors/connections/create-connection.ts';
import { saveApp } from '../../../../features/connectors/connections/save-app.ts';
import {
  showConnection,
  showConnections,
} from '../../../../features/connectors/connections/show-connections.ts';
import { removeConnection } from '../../../../features/connectors/setup/remove-connection.ts';
import { actorOf } from '../../../../features/identity/audit/audit.ts';
import type { OrgScope } from '../../../../foundation/kernel/org-scope.ts';
import { pageRecord } from '../../../../foundation/kernel/wire/page-record.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';
import {
  connectionIdOf,
  connectionPath,
  organizationPath,
  type PageQuery,
  pageQuery,
  scopeOf,
} from '../request-parts.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['Connections'];

export function connectionsRoutes(deps: ConnectionsDeps): FastifyPluginAsyncZod {
  return async (server) => {
    serveList(server, deps);
    serveCreate(server, deps);
    serveOne(
      server,
      deps,
      '/connections/:id',
      'getConnection',
      'One connection: its state and configuration',
    );
    serveOne(server, deps, '/connections/:id/status', 'getConnectionStatus', 'The status of a connection');
    serveSaveApp(server, deps);
    serveRemove(server, deps);
  };
}

const connectionPage = pageRecord(connectionRecord);

function serveList(server: Server, deps: ConnectionsDeps): void {
  server.get(
    '/connections',
    {
      config: { role: 'member' },
      schema: {
        operationId: 'listConnections',
        tags,
        summary: 'Connections of the organization, oldest first',
        params: organizationPath,
        querystring: pageQuery,
        response: { 200: connectionPage, ...problemResponses(400, 401, 403, 429) },
      },
    },
    (request) => recordPage(deps, scopeOf(request), request.query),
  );
}

async function recordPage(deps: ConnectionsDeps, scope: OrgScope, query: PageQuery) {
  const { items, nextCursor } = await showConnections(deps, scope, query);
  return { items: items.map(toConnectionRecord), nextCursor };
}

function newConnection({ connectors }: ConnectionsDeps) {
  return z.strictObject({
    kind: z.enum(connectors.map(({ kind }) => kind)),
    name: z
      .string()
      .min(1)
      .max(connectionLimits.nameLength)
      .nullish()
      .describe('Default: the kind. Unique among the connections of its kind.'),
  });
}

function serveCreate(server: Server, deps: ConnectionsDeps): void {
  server.post(
    '/connections',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'createConnection',
        tags,
        summary: 'Create a draft of a connection',
        params: organizationPath,
        body: newConnection(deps),
        response: { 201: connectionRecord, ...problemResponses(400, 401, 403, 409, 413, 415, 429) },
      },
    },
    async (request, reply) => {
      const { kind, name } = request.body;
      const scope = scopeOf(request);
      const id = await createConnection(deps, scope, { kind, name: name ?? undefined });
      return reply.code(201).send(await recordOf(deps, scope, id));
    },
  );
}

function serveOne(
  server: Server,
  deps: ConnectionsDeps,
  path: string,
  operationId: string,
  summary: string,
): void {
  server.get(
    path,
    {
      config: { role: 'member', conditional: true },
      schema: {
        operationId,
        tags,
        summary,
        params: connectionPath,
        response: { 200: connectionRecord, ...problemResponses(401, 403, 404, 429) },
      },
    },
    (request) => recordOf(deps, scopeOf(request), request.params.id),
  );
}

async function recordOf(deps: ConnectionsDeps, scope: OrgScope, id: string): Promise<ConnectionRecord> {
  return toConnectionRecord(await showConnection(deps, scope, id));
}

/**
 * A credential as the provider shows it: one line without surrounding blanks. A pasted newline would make it invalid.
 */
const credential = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'must not contain control characters')
  .refine((text) => text === text.trim(), 'must not start or end with a blank');

const appCredentials = z.strictObject({
  clientId: credential.max(500),
  clientSecret: credential.describe('Stored encrypted, never shown again.'),
  webhookSecret: credential
    .nullish()
    .describe(
      'The webhook secret of the application, if the provider gives it one. Stored encrypted, never shown again. If it ' +
        'is absent, the saved one is kept while the client id is unchanged.',
    ),
});

function serveSaveApp(server: Server, deps: ConnectionsDeps): void {
  server.put(
    '/connections/:id/app',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'updateConnectionApp',
        tags,
        summary: 'Save the OAuth app of a connection',
        params: connectionPath,
        body: appCredentials,
        response: { 200: connectionRecord, ...problemResponses(400, 401, 403, 404, 413, 415, 429) },
      },
    },
    (request) => recordWithApp(deps, scopeOf(request), request.params.id, request.body),
  );
}

async function recordWithApp(
  deps: ConnectionsDeps,
  scope: OrgScope,
  idText: string,
  { webhookSecret, ...app }: z.output<typeof appCredentials>,
): Promise<ConnectionRecord> {
  const id = connectionIdOf(idText);
  await saveApp(deps, scope, id, { ...app, webhookSecret: webhookSecret ?? undefined });
  return recordOf(deps, scope, id);
}

function serveRemove(server: Server, deps: ConnectionsDeps): void {
  server.delete(
    '/connections/:id',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'deleteConnection',
        tags,
        summary: 'Delete a connection and its secrets; mirrored files are kept',
        params: connectionPath,
        response: {
          204: z.null().describe('Deleted.'),
          ...problemResponses(401, 403, 404, 429),
        },
      },
    },
    async (request, reply) => {
      const actor = actorOf(accessOf(request));
      await removeConnection(deps, scopeOf(request), actor, connectionIdOf(request.params.id));
      return reply.code(204).send(null);
    },
  );
}
