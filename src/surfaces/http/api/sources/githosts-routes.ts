import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { addGithost } from '../../../../features/githosts/add-githost.ts';
import { githostLimits } from '../../../../features/githosts/githost-connection.ts';
import {
  githostRecordOf,
  hostRepositoryRecord,
  installUrlRecord,
  sshKeyRecord,
  toGithostRecord,
  toHostRepositoryRecord,
  toSshKeyRecord,
} from '../../../../features/githosts/githost-record.ts';
import { listGithosts } from '../../../../features/githosts/githost-store.ts';
import type { GithostsDeps } from '../../../../features/githosts/githosts-deps.ts';
import { listHostRepositories } from '../../../../features/githosts/host-repositories.ts';
import { installUrlOf } from '../../../../features/githosts/install-githost.ts';
import { removeGithost } from '../../../../features/githosts/remove-githost.ts';
import { setGithost } from '../../../../features/githosts/set-githost.ts';
import { ensureSshKey, removeSshKey, requireSshKey } from '../../../../features/githosts/ssh-key.ts';
import { actorOf } from '../../../../features/identity/audit/audit.ts';
import type { OrgScope } from '../../../../foundation/kernel/org-scope.ts';
import { pageRecord } from '../../../../foundation/kernel/wire/page-record.ts';
import { disconnectSignal } from '../../../fastify/disconnect.ts';
import { accessOf } from '../../../fastify/request-fields.ts';
import { problemResponses } from '../../problem.ts';
import { connectionPath, organizationPath, type PageQuery, pageQuery, scopeOf } from '../request-parts.ts';

type Server = Parameters<FastifyPluginAsyncZod>[0];

const tags = ['Git hosts'];

export function githostsRoutes(deps: GithostsDeps): FastifyPluginAsyncZod {
  const kinds = [...deps.providers.keys()];
  const record = githostRecordOf(kinds);
  return async (server) => {
    serveList(server, deps, record);
    serveAdd(server, deps, record, kinds);
    serveSet(server, deps, record);
    serveRemove(server, deps);
    serveInstallUrl(server, deps);
    serveRepositories(server, deps);
    serveKey(server, deps);
  };
}

type RecordSchema = ReturnType<typeof githostRecordOf>;

function serveList(server: Server, deps: GithostsDeps, record: RecordSchema): void {
  server.get(
    '/githost/connections',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'listGithosts',
        tags,
        summary: 'Connections to Git hosts, oldest first',
        params: organizationPath,
        querystring: pageQuery,
        response: { 200: pageRecord(record), ...problemResponses(400, 401, 403, 429) },
      },
    },
    (request) => recordPage(deps, scopeOf(request), request.query),
  );
}

async function recordPage({ database }: GithostsDeps, scope: OrgScope, query: PageQuery) {
  const { items, nextCursor } = await listGithosts(database.queries, scope, query);
  return { items: items.map(toGithostRecord), nextCursor };
}

const fieldText = z.string().min(1).max(16_384);
const secretText = fieldText.nullish().describe('Stored encrypted, never shown again.');

const nameText = z.string().min(1).max(githostLimits.nameLength).nullish();

/** The fields of all kinds; the provider refuses those that its kind does not take. */
const githostFields = z.strictObject({
  name: nameText.describe('Default: the kind. Unique in the organization.'),
  url: fieldText
    .nullish()
    .describe('Web address of the Git host. Default: GITHOST_URL, else the public service of the kind.'),
  user: fieldText.nullish(),
  token: secretText,
  appId: fieldText.nullish().describe('Id of an own App. Without it the App of the deployment is used.'),
  privateKey: secretText,
  webhookSecret: secretText,
});

function serveAdd(server: Server, deps: GithostsDeps, record: RecordSchema, kinds: readonly string[]): void {
  const newGithost = z.strictObject({
    kind: z.enum(kinds).describe('The kind of Git host.'),
    ...githostFields.shape,
  });
  server.post(
    '/githost/connections',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'createGithost',
        tags,
        summary: 'Connect a Git host; its credentials are checked there first',
        params: organizationPath,
        body: newGithost,
        response: {
          201: record,
          ...problemResponses(400, 401, 403, 409, 413, 415, 429, 502, 503),
        },
      },
    },
    async (request, reply) => {
      const { kind, name, ...rest } = request.body;
      const actor = actorOf(accessOf(request));
      const wanted = { kind, name: name ?? undefined, fields: givenFields(rest) };
      const connection = await addGithost(deps, scopeOf(request), actor, wanted, disconnectSignal(reply));
      return reply.code(201).send(toGithostRecord(connection));
    },
  );
}

const githostChanges = githostFields
  .omit({ url: true, appId: true })
  .extend({ name: nameText.describe('Unique in the organization.') });

function serveSet(server: Server, deps: GithostsDeps, record: RecordSchema): void {
  server.patch(
    '/githost/connections/:id',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'updateGithost',
        tags,
        summary: 'Rename a connection or replace its credentials; new ones are checked at the host first',
        params: connectionPath,
        body: githostChanges,
        response: {
          200: record,
          ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429, 502, 503),
        },
      },
    },
    async (request, reply) => {
      const { name, ...rest } = request.body;
      const changes = { name: name ?? undefined, fields: givenFields(rest) };
      const actor = actorOf(accessOf(request));
      const { id } = request.params;
      const signal = disconnectSignal(reply);
      return toGithostRecord(await setGithost(deps, scopeOf(request), actor, id, changes, signal));
    },
  );
}

/** Returns the fields that a body gives. */
function givenFields(
  fields: Readonly<Record<string, string | null | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) => (value ? [[field, value]] : [])),
  );
}

function serveRemove(server: Server, deps: GithostsDeps): void {
  server.delete(
    '/githost/connections/:id',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'deleteGithost',
        tags,
        summary: 'Remove a connection to a Git host and its secrets',
        params: connectionPath,
        response: { 204: z.null().describe('Removed.'), ...problemResponses(401, 403, 404, 409, 429) },
      },
    },
    async (request, reply) => {
      await removeGithost(deps, scopeOf(request), actorOf(accessOf(request)), request.params.id);
      return reply.code(204).send(null);
    },
  );
}

function serveInstallUrl(server: Server, deps: GithostsDeps): void {
  server.get(
    '/githost/connections/:id/install-url',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'getGithostInstallUrl',
        tags,
        summary: 'The page at which a person installs the App; valid once, for 10 minutes',
        params: connectionPath,
        response: {
          200: installUrlRecord,
          ...problemResponses(400, 401, 403, 404, 429, 502, 503),
        },
      },
    },
    async (request, reply) => {
      const actor = actorOf(accessOf(request));
      const { id } = request.params;
      return { url: await installUrlOf(deps, scopeOf(request), actor, id, disconnectSignal(reply)) };
    },
  );
}

const repositoriesQuery = pageQuery.extend({
  q: z.string().min(1).max(200).optional().describe('Part of the full name.'),
  cursor: z.string().min(1).max(2_000).optional().describe('`nextCursor` of the previous page.'),
});

function serveRepositories(server: Server, deps: GithostsDeps): void {
  server.get(
    '/githost/connections/:id/repositories',
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'listGithostRepositories',
        tags,
        summary: 'Repositories that a connection can read',
        params: connectionPath,
        querystring: repositoriesQuery,
        response: {
          200: pageRecord(hostRepositoryRecord),
          ...problemResponses(400, 401, 403, 404, 429, 502, 503),
        },
      },
    },
    async (request, reply) => {
      const { q: query, cursor, limit } = request.query;
      const wanted = { query, cursor, limit };
      const signal = disconnectSignal(reply);
      const page = await listHostRepositories(deps, scopeOf(request), request.params.id, wanted, signal);
      return { items: page.items.map(toHostRepositoryRecord), nextCursor: page.nextCursor ?? null };
    },
  );
}

const keyPath = '/githost/key';

function serveKey(server: Server, deps: GithostsDeps): void {
  server.get(
    keyPath,
    {
      config: { role: 'admin', conditional: true },
      schema: {
        operationId: 'getSshKey',
        tags,
        summary: 'The public SSH key of the organization',
        params: organizationPath,
        response: { 200: sshKeyRecord, ...problemResponses(401, 403, 404, 429) },
      },
    },
    (request) => requireSshKey(deps.database.queries, scopeOf(request)).then(toSshKeyRecord),
  );
  server.put(
    keyPath,
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'createSshKey',
        tags,
        summary: 'Create an SSH key of the organization, unless it has one',
        params: organizationPath,
        response: { 200: sshKeyRecord, ...problemResponses(401, 403, 429) },
      },
    },
    (request) => ensureSshKey(deps, scopeOf(request), actorOf(accessOf(request))).then(toSshKeyRecord),
  );
  server.delete(
    keyPath,
    {
      config: { role: 'admin' },
      schema: {
        operationId: 'deleteSshKey',
        tags,
        summary: 'Delete the SSH key of the organization',
        params: organizationPath,
        response: { 204: z.null().describe('Deleted.'), ...problemResponses(401, 403, 404, 429) },
      },
    },
    async (request, reply) => {
      await removeSshKey(deps, scopeOf(request), actorOf(accessOf(request)));
      return reply.code(204).send(null);
    },
  );
}
