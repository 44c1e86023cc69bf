import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import type { Database } from '../../../src/foundation/db/database.ts';
import type { RouteEntry } from '../../../src/surfaces/http/route-table.ts';
import { type NamedResource, type SeededOrganization, secretOf } from './two-organizations.ts';

/** A call of a route or tool that succeeds for authorized callers. */
export interface MatrixCall {
  /** The resource of the organization that the request names. */
  readonly names?: NamedResource;
  /** `{slug}` stands for that of the organization. */
  readonly query?: string;
  readonly payload?: object;
  /**
   * True if the seeded resource is of a kind without this operation: authorized callers get 400. Or the status they
   * get because of its state.
   */
  readonly unsupported?: true | 409;
}

export const apiPrefix = '/:orgSlug/api/v1';

/** Every route of an organization's REST interface. The matrix test fails if one is missing. */
export const routeCalls: Readonly<Record<string, MatrixCall>> = {
  'GET /repositories': {},
  'GET /repositories/:id': { names: 'repository' },
  'GET /repositories/:id/tree': { names: 'repository' },
  'GET /repositories/:id/file': { names: 'repository', query: 'path=a.ts' },
  'GET /search': { query: 'q=secret' },
  'GET /history': { query: 'address={slug}-secret-repositories-name/a.ts' },
  'GET /repositories/:id/commits/:commit': { names: 'repository' },
  'GET /references': { query: 'name=secret' },
  'GET /graph/entities': { query: 'q={slug}' },
  'GET /graph/entities/:key': { names: 'entity' },
  'GET /graph/entities/:key/related': { names: 'entity' },
  'GET /graph/impact': { query: 'repository={slug}-secret-repositories-name&path=a.ts' },
  'GET /connections': {},
  'GET /connections/:id': { names: 'connection' },
  'GET /connections/:id/status': { names: 'connection' },
  'GET /connections/:id/scope-options': { names: 'connection', unsupported: 409 },
  'GET /githost/connections': {},
  'GET /githost/connections/:id/install-url': { names: 'githost', unsupported: true },
  'GET /githost/connections/:id/repositories': { names: 'githost', unsupported: true },
  'GET /githost/key': {},
  'GET /members': {},
  'GET /invitations': {},
  'GET /api-keys': {},
  'GET /grants': {},
  'GET /audit': {},
  'POST /ask': { payload: { prompt: 'Where is the secret of the repository?' } },
  'POST /context': { payload: { prompt: 'Where is the secret of the repository?' } },
  'GET /conversations': {},
  'POST /conversations': { payload: { title: 'New' } },
  'GET /conversations/:id': { names: 'conversation' },
  'GET /conversations/:id/messages': { names: 'conversation' },
  'POST /conversations/:id/messages': {
    names: 'conversation',
    payload: { content: 'Where is the secret of the repository?' },
  },
  'DELETE /conversations/:id': { names: 'conversation' },
  'POST /repositories': { payload: { source: 'https://example.com/new.git' } },
  'PATCH /repositories/:id': { names: 'repository', payload: { branch: 'main' } },
  'POST /repositories/:id/sync': { names: 'repository' },
  'POST /connections': { payload: { kind: 'oncall' } },
  'POST /githost/connections': {
    payload: { kind: 'https', url: 'https://git.example.com', user: 'bot', token: 'token' },
  },
  'PATCH /githost/connections/:id': { names: 'githost', payload: { name: 'renamed' } },
  'POST /invitations': { payload: { email: 'new@example.com', role: 'member' } },
  'POST /api-keys': { payload: { name: 'new' } },
  'POST /connections/:id/authorize': { names: 'connection', unsupported: 409 },
  'POST /connections/:id/pull-request': { names: 'connection', unsupported: true },
  'POST /connections/:id/rebuild': { names: 'connection' },
  'POST /connections/:id/sync': { names: 'connection' },
  'PUT /connections/:id/binding': {
    names: 'connection',
    payload: { githostConnectionId: 'none', repository: 'a/b', scope: { teams: ['ENG'] } },
    unsupported: true,
  },
  'PUT /connections/:id/app': { names: 'connection', payload: { clientId: 'a', clientSecret: 's' } },
  'PUT /githost/key': {},
  'PUT /members/:userId': { names: 'member', payload: { role: 'admin' } },
  'DELETE /repositories/:id': { names: 'repository' },
  'DELETE /connections/:id': { names: 'connection' },
  'DELETE /githost/connections/:id': { names: 'githost' },
  'DELETE /githost/key': {},
  'DELETE /members/:userId': { names: 'member' },
  'DELETE /invitations/:id': { names: 'invitation' },
  'DELETE /api-keys/:id': { names: 'apiKey' },
  'DELETE /grants/:id': { names: 'grant' },
};

/** Every tool with its arguments; `names` fills the argument `repository`, `repositories` or `entity`. */
export const toolCalls: Readonly<Record<string, MatrixCall & { readonly list?: true }>> = {
  svc_advisor: { payload: { prompt: 'Where is the secret of the repository?' } },
  search_code: { payload: { query: 'secret' }, names: 'repositoryName', list: true },
  read_file: { payload: { path: 'a.ts' }, names: 'repositoryName' },
  find_symbol: { payload: { name: 'secret' }, names: 'repositoryName', list: true },
  find_references: { payload: { name: 'secret' }, names: 'repositoryName', list: true },
  list_tree: { payload: {}, names: 'repositoryName' },
  history: { payload: {}, names: 'repositoryName' },
  show_commit: { payload: { commit: 'c'.repeat(40) }, names: 'repositoryName' },
  search_entities: { payload: { query: 'secret' }, names: 'repositoryName', list: true },
  get_entity: { payload: {}, names: 'entity' },
  find_related: { payload: {}, names: 'entity' },
  list_repositories: { payload: {} },
  index_status: { payload: {} },
};

/** Returns the name of a route in `routeCalls`: `GET /repositories/:id`. */
export function nameOf({ method, path }: RouteEntry): string {
  return `${method} ${path.replace(apiPrefix, '')}`;
}

/** Returns the REST request of a route; `id` replaces the parameter of its path that names a resource, if there is one. */
export function restRequest(route: string, slug: string, id: string): InjectOptions {
  const [method = '', path = ''] = route.split(' ');
  const { query, payload } = routeCalls[route] ?? {};
  const url = `${apiPrefix}${path}`
    .replace(':orgSlug', slug)
    .replace(':commit', 'c'.repeat(40))
    .replace(/:\w+/, encodeURIComponent(id));
  return {
    method,
    url: query === undefined ? url : `${url}?${query.replaceAll('{slug}', slug)}`,
    ...(payload === undefined ? {} : { payload }),
  };
}

/** Returns an MCP call of a tool as a stateless client of protocol 2025-11-25 sends it. */
export function toolRequest(tool: string, slug: string | undefined, id: string): InjectOptions {
  const { payload = {}, names, list } = toolCalls[tool] ?? {};
  const argument = names === 'entity' ? 'entity' : list === true ? 'repositories' : 'repository';
  const named = names === undefined ? {} : { [argument]: list === true ? [id] : id };
  const params = { name: tool, arguments: { ...payload, ...named } };
  return {
    method: 'POST',
    url: slug === undefined ? '/mcp' : `/mcp?orgSlug=${slug}`,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  };
}

/** Returns what a caller can observe of a response, except the request id and the values of the request. */
export function observable(answer: LightMyRequestResponse, requested: readonly string[]): string {
  const { statusCode, headers, body } = answer;
  const visible = JSON.stringify([
    statusCode,
    headers['content-type'],
    headers['www-authenticate'],
    headers['location'],
    body,
  ]);
  const anonymous = visible.replaceAll(/\\"requestId\\":\\"[^"]*\\"/g, '');
  return requested.reduce((text, one) => text.replaceAll(one, '<requested>'), anonymous);
}

/** Returns data of the organization in a response that was not part of the request. */
export function leaksOf(
  { id, slug, owner, names }: SeededOrganization,
  answer: LightMyRequestResponse,
  requested: readonly string[],
): readonly string[] {
  const visible = JSON.stringify([answer.headers, answer.body]);
  const text = requested
    .filter((one) => one !== slug)
    .reduce((rest, one) => rest.replaceAll(one, ''), visible);
  return [id, owner, secretOf(slug, ''), ...Object.values(names)].filter((one) => text.includes(one));
}

/** Returns an unused id of the same format as `known`. */
export function unknownLike(known: string): string {
  return known.replaceAll(/[\da-f]/g, (digit) => ((Number.parseInt(digit, 16) + 7) % 16).toString(16));
}

/** Times of last use: they reveal nothing about the organization, and refused credentials change them, too. */
const bookkeeping = /"(last_used_at|last_seen_at)":(\d+|null)/g;

/** Returns every row with data of the organization, as text. */
export async function rowsOf(
  database: Database,
  { id, slug, owner, names }: SeededOrganization,
): Promise<readonly string[]> {
  const known = [id, owner, secretOf(slug, ''), ...Object.values(names)];
  const rows = await everyRow(database);
  return rows
    .map(({ table, row }) => `${table} ${asText(row)}`.replaceAll(bookkeeping, ''))
    .filter((text) => known.some((one) => text.includes(one)))
    .toSorted();
}

export interface TableRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

export async function everyRow({ queries }: Database): Promise<readonly TableRow[]> {
  const tables = await queries.introspection.getTables();
  const names = tables.filter(({ isView }) => !isView).map(({ name }) => name);
  const rows = await Promise.all(
    names.map(async (table) =>
      (
        await queries
          .selectFrom(sql.table(table).as('t') as never)
          .selectAll()
          .execute()
      ).map((row): TableRow => ({ table, row: row as TableRow['row'] })),
    ),
  );
  return rows.flat();
}

function asText(row: object): string {
  return JSON.stringify(row, (_key, value: unknown) =>
    Buffer.isBuffer(value) ? value.toString('latin1') : value,
  );
}
