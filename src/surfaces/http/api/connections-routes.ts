import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { connectionKinds, connectionLimits } from '../../../features/connectors/connections/connection.ts';
import type { ConnectionsDeps } from '../../../features/connectors/connections/connections-deps.ts';
import { createConnection } from '../../../features/connectors/connections/create-connection.ts';
import { removeConnection } from '../../../features/connectors/connections/remove-connection.ts';
import { saveApp } from '../../../features/connectors/connections/save-app.ts';
import {
  showConnection,
  showConnections,
} from '../../../features/connectors/connections/show-connections.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { problemResponses } from '../problem.ts';
import { type ConnectionRecord, connectionRecord, toConnectionRecord } from './connection-record.ts';
import {
  connectionIdOf,
  connectionPath,
  organizationPath,
  type PageQuery,
  pageQuery,
  scopeOf,
} from './request-parts.ts';

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
      'One connection: its state and what is set up',
    );
    serveOne(server, deps, '/connections/:id/status', 'getConnectionStatus', 'How a connection is doing');
    serveSaveApp(server, deps);
    serveRemove(server, deps);
  };
}

const connectionPage = z.object({ items: z.array(connectionRecord), nextCursor: z.string().nullable() });

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

const newConnection = z.strictObject({
  kind: z.enum(connectionKinds),
  name: z
    .string()
    .min(1)
    .max(connectionLimits.nameLength)
    .nullish()
    .describe('Default: the kind. Unique among those of its kind.'),
});

function serveCreate(server: Server, deps: ConnectionsDeps): void {
  server.post(
    '/connections',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'createConnection',
        tags,
        summary: 'Make a draft of a connection',
        params: organizationPath,
        body: newConnection,
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
      config: { role: 'member' },
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

/** As a provider shows it: one line, nothing round it. What was pasted with a newline would never verify. */
const credential = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must hold no control characters')
  .refine((text) => text === text.trim(), 'must not begin or end with a blank');

const appCredentials = z.strictObject({
  clientId: credential.max(500),
  clientSecret: credential.describe('Stored encrypted, never shown again.'),
  webhookSecret: credential
    .nullish()
    .describe(
      'Of a tracker application; not for oncall. Stored encrypted, never shown again. Without it the saved one stays ' +
        'while the client id is the same.',
    ),
});

function serveSaveApp(server: Server, deps: ConnectionsDeps): void {
  server.put(
    '/connections/:id/app',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'saveConnectionApp',
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
        summary: 'Delete a connection and its secrets; mirrored files stay',
        params: connectionPath,
        response: {
          204: z.null().describe('Deleted.'),
          ...problemResponses(401, 403, 404, 429),
        },
      },
    },
    async (request, reply) => {
      await removeConnection(deps, scopeOf(request), connectionIdOf(request.params.id));
      return reply.code(204).send(null);
    },
  );
}
