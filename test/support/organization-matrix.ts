import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import type { Database } from '../../src/foundation/db/database.ts';
import type { RouteEntry } from '../../src/surfaces/http/route-table.ts';
import { type NamedResource, type SeededOrganization, secretOf } from './two-organizations.ts';

/** How a route or a tool is called so that it would work for those who may. */
export interface MatrixCall {
  /** What of an organization the request names. */
  readonly names?: NamedResource;
  readonly query?: string;
  readonly payload?: object;
}

export const apiPrefix = '/:orgSlug/api/v1';

/** Every route of an organization's REST interface. The matrix fails while one is missing here. */
export const routeCalls: Readonly<Record<string, MatrixCall>> = {
  'GET /repositories': {},
  'GET /repositories/:id': { names: 'repository' },
  'GET /repositories/:id/tree': { names: 'repository' },
  'GET /repositories/:id/file': { names: 'repository', query: 'path=a.ts' },
  'GET /search': { query: 'q=secret' },
  'GET /connections': {},
  'GET /connections/:id': { names: 'connection' },
  'GET /connections/:id/status': { names: 'connection' },
  'GET /members': {},
  'GET /invitations': {},
  'GET /api-keys': {},
  'GET /grants': {},
  'GET /audit': {},
  'POST /context': { payload: { prompt: 'Where is the secret of the repository?' } },
  'POST /repositories': { payload: { source: 'https://example.com/new.git' } },
  'POST /repositories/:id/sync': { names: 'repository' },
  'POST /connections': { payload: { kind: 'oncall' } },
  'POST /invitations': { payload: { email: 'new@example.com', role: 'member' } },
  'POST /api-keys': { payload: { name: 'new' } },
  'PUT /connections/:id/app': { names: 'connection', payload: { clientId: 'a', clientSecret: 's' } },
  'PUT /members/:userId': { names: 'member', payload: { role: 'admin' } },
  'DELETE /repositories/:id': { names: 'repository' },
  'DELETE /connections/:id': { names: 'connection' },
  'DELETE /members/:userId': { names: 'member' },
  'DELETE /invitations/:id': { names: 'invitation' },
  'DELETE /api-keys/:id': { names: 'apiKey' },
  'DELETE /grants/:id': { names: 'grant' },
};

/** Every tool, by its arguments; `names` fills the argument `repository` or `repositories`. */
export const toolCalls: Readonly<Record<string, MatrixCall & { readonly list?: true }>> = {
  svc_advisor: { payload: { prompt: 'Where is the secret of the repository?' } },
  search_code: { payload: { query: 'secret' }, names: 'repositoryName', list: true },
  read_file: { payload: { path: 'a.ts' }, names: 'repositoryName' },
  find_symbol: { payload: { name: 'secret' }, names: 'repositoryName', list: true },
  list_tree: { payload: {}, names: 'repositoryName' },
  list_repositories: { payload: {} },
  status: { payload: {} },
};

/** `GET /repositories/:id`, the name of a route in `routeCalls`. */
export function nameOf({ method, path }: RouteEntry): string {
  return `${method} ${path.replace(apiPrefix, '')}`;
}

/** A REST request of a row; `id` stands for the one parameter of its path, where it has one. */
export function restRequest(route: string, slug: string, id: string): InjectOptions {
  const [method = '', path = ''] = route.split(' ');
  const { query, payload } = routeCalls[route] ?? {};
  const url = `${apiPrefix}${path}`.replace(':orgSlug', slug).replace(/:\w+/, encodeURIComponent(id));
  return {
    method,
    url: query === undefined ? url : `${url}?${query}`,
    ...(payload === undefined ? {} : { payload }),
  };
}

/** A call of a tool over MCP, as a stateless client of 2025-11-25 sends it. */
export function toolRequest(tool: string, slug: string | undefined, id: string): InjectOptions {
  const { payload = {}, names, list } = toolCalls[tool] ?? {};
  const named = names === undefined ? {} : list === true ? { repositories: [id] } : { repository: id };
  const params = { name: tool, arguments: { ...payload, ...named } };
  return {
    method: 'POST',
    url: slug === undefined ? '/mcp' : `/mcp?orgSlug=${slug}`,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  };
}

/** What a caller can tell of an answer, but for the id of the request and what they asked for themselves. */
export function tellable(answer: LightMyRequestResponse, asked: readonly string[]): string {
  const { statusCode, headers, body } = answer;
  const shown = JSON.stringify([
    statusCode,
    headers['content-type'],
    headers['www-authenticate'],
    headers['location'],
    body,
  ]);
  const anonymous = shown.replaceAll(/\\"requestId\\":\\"[^"]*\\"/g, '');
  return asked.reduce((text, one) => text.replaceAll(one, '<asked>'), anonymous);
}

/** Pieces of an organization in an answer that the caller did not bring along. */
export function leaksOf(
  { id, slug, owner, names }: SeededOrganization,
  answer: LightMyRequestResponse,
  asked: readonly string[],
): readonly string[] {
  const shown = JSON.stringify([answer.headers, answer.body]);
  const text = asked.filter((one) => one !== slug).reduce((rest, one) => rest.replaceAll(one, ''), shown);
  return [id, owner, secretOf(slug, ''), ...Object.values(names)].filter((one) => text.includes(one));
}

/** An id of the same shape as `known` that nobody has. */
export function unknownLike(known: string): string {
  return known.replaceAll(/[\da-f]/g, (digit) => ((Number.parseInt(digit, 16) + 7) % 16).toString(16));
}

/** When something was last used says nothing of the organization, and refused credentials move it as well. */
const bookkeeping = /"(last_used_at|last_seen_at)":(\d+|null)/g;

/** Every row of every table that speaks of the organization, as text. */
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
