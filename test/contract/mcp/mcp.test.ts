import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { insertConnection } from '../../../src/features/connectors/connections/connection-store.ts';
import { findOrganization } from '../../../src/features/identity/people/organization-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { type ConnectionId, newId } from '../../../src/foundation/kernel/ids.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { tools } from '../../../src/surfaces/mcp/tools/all.ts';
import { defineTool, maxText } from '../../../src/surfaces/mcp/tools/tool.ts';
import { seedRepository } from '../../support/codesearch/seeded-repositories.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { emptyKnowledge } from '../../support/graph/opened-graph.ts';
import {
  openTestAnswers,
  openTestHttp,
  publicOrigin,
  type TestHttp,
} from '../../support/http/http-server.ts';
import { silentLog } from '../../support/silent-log.ts';

let database: TestDatabase;
let http: TestHttp;
let server: FastifyInstance;
let origin: string;
let slowCallEnded: Promise<string>;

/** Matches more than any limit allows, so that results are paged. */
const flood = Array.from({ length: 50 }, (_, index) => ({
  commit: 'c'.repeat(40),
  path: `src/file-${index}.ts`,
  language: 'TypeScript',
  score: 1,
  branch: 'main',
  reasons: [],
  moreMatches: 0,
  matches: Array.from({ length: 5 }, (_unused, line) => ({
    line: line + 1,
    column: 70_001,
    length: 5,
    text: `${'x'.repeat(1_000)}zebra${'x'.repeat(995)}`,
    textOffset: 69_000,
    before: [],
    after: [],
  })),
}));

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  let ended: (outcome: string) => void = () => {};
  slowCallEnded = new Promise((resolve) => {
    ended = resolve;
  });
  const slow = defineTool({
    name: 'slow',
    description: 'Waits until it is cancelled.',
    input: z.strictObject({}),
    run: async (_input, { signal }) => {
      await sleep(20_000, undefined, { signal }).catch(() => ended('cancelled'));
      return '';
    },
  });
  const broken = defineTool({
    name: 'broken',
    description: 'Fails with a secret in its error.',
    input: z.strictObject({}),
    run: async () => {
      throw new Error('password=hush');
    },
  });
  const answers = openTestAnswers(database, publicOrigin, {
    codeSearch: {
      search: async (_scope, { limit, repositories }) => ({
        files: flood.slice(0, limit).map((file) => ({ ...file, repository: repositories![0]!.id })),
        stats: { candidates: 50, scanned: 50, matched: 50, milliseconds: 1 },
        ...(limit < 50 ? { nextOffset: limit } : {}),
      }),
    },
  });
  const identity = { queries: database.queries, clock: systemClock };
  const mcp = mcpRoute({
    deps: { baseUrl: publicOrigin, version: '1.2.3', identity, answers, knowledge: emptyKnowledge },
    log: silentLog,
    tools: [...tools, slow, broken],
  });
  http = await openTestHttp(database, { plugins: [{ name: 'mcp', plugin: mcp }] });
  server = http.server;
  origin = await server.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await server?.close();
  await database?.close();
});

/** Options of a call by a member of another organization. */
const asGil = () => ({ query: '?orgSlug=globex', headers: { authorization: `Bearer ${http.keys.gil}` } });

function productRoute() {
  const identity = { queries: database.queries, clock: systemClock };
  const answers = openTestAnswers(database, publicOrigin);
  return mcpRoute({
    deps: { baseUrl: publicOrigin, version: '1.2.3', identity, answers, knowledge: emptyKnowledge },
    log: silentLog,
  });
}

const headersFor = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

/** A 2025-11-25 request without a handshake, as a stateless server accepts it. */
async function post(
  body: unknown,
  init: { query?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
) {
  const response = await fetch(`${origin}/mcp${init.query ?? '?orgSlug=acme'}`, {
    method: 'POST',
    headers: { ...headersFor(http.keys.member), 'mcp-protocol-version': '2025-11-25', ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  });
  return response;
}

async function rpc(method: string, params: unknown = {}, init?: Parameters<typeof post>[1]) {
  const response = await post({ jsonrpc: '2.0', id: 7, method, params }, init);
  const text = await response.text();
  return { status: response.status, body: JSON.parse(lastMessage(text)), text };
}

/** Returns the JSON body, or the last event of a stream. */
function lastMessage(text: string): string {
  return text.startsWith('event:') ? text.slice(text.lastIndexOf('\ndata: ') + '\ndata: '.length) : text;
}

async function problemOf(response: Response): Promise<{ code?: unknown; error?: { code: number } }> {
  return (await response.json()) as { code?: unknown; error?: { code: number } };
}

const call = (name: string, args: unknown, init?: Parameters<typeof post>[1]) =>
  rpc('tools/call', { name, arguments: args }, init);

const textOf = async (...[name, args, init]: Parameters<typeof call>): Promise<string> =>
  (await call(name, args, init)).body.result.content[0].text;

describe('the tool list', () => {
  it('svc_advisor takes exactly one argument, prompt, a string', async () => {
    const { body } = await rpc('tools/list');
    const advisor = body.result.tools.find((tool: { name: string }) => tool.name === 'svc_advisor');
    const { properties, required, additionalProperties, type } = advisor.inputSchema;
    expect({ type, required, additionalProperties }).toEqual({
      type: 'object',
      required: ['prompt'],
      additionalProperties: false,
    });
    expect(Object.keys(properties)).toEqual(['prompt']);
    expect(properties.prompt.type).toBe('string');
  });

  it('declares every tool read-only and without an output schema, in 10 KB', async () => {
    const { body } = await rpc('tools/list');
    for (const tool of body.result.tools) {
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        idempotentHint: true,
        openWorldHint: false,
      });
      // A client that reads a schema without structured content answers with an error.
      expect(tool.outputSchema, tool.name).toBeUndefined();
      expect(tool.description.length, tool.name).toBeLessThanOrEqual(1_000);
      expect(tool.description.split('. ', 1)[0].length, tool.name).toBeLessThanOrEqual(160);
    }
    const product = body.result.tools.slice(0, tools.length);
    expect(JSON.stringify({ tools: product }).length).toBeLessThanOrEqual(10_000);
    const loaded = body.result.tools.filter((tool: { _meta?: object }) => tool._meta !== undefined);
    expect(loaded.map(({ name }: { name: string }) => name)).toEqual([
      'svc_advisor',
      'search_code',
      'read_file',
    ]);
    expect(body.result.nextCursor).toBeUndefined();
  });

  it('comes with instructions that name the organization and the first tool', async () => {
    const { body } = await rpc('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    const { instructions } = body.result;
    expect(instructions).toMatch(/acme.*svc_advisor.*search_code.*data/s);
    // Some clients show their model only the start.
    expect(instructions.slice(0, 150)).toMatch(/Code, history, owners, issues and incidents.*svc_advisor/);
    expect(instructions.length).toBeLessThanOrEqual(400);
  });
});

describe('tool results', () => {
  it('are one text', async () => {
    const { body } = await call('index_status', {});
    expect(Object.keys(body.result).filter((name) => name !== '_meta')).toEqual(['content']);
    expect(body.result.content).toEqual([
      { type: 'text', text: expect.stringMatching(/searchable.*organization acme, as member@example.com/s) },
    ]);
  });

  it('of the status name the connections of the organization and their last sync', async () => {
    const { id } = (await findOrganization(database.queries, 'acme'))!;
    const scope = { organizationId: id, orgSlug: 'acme' };
    const connection = { id: newId() as ConnectionId, kind: 'tracker', name: 'issues' };
    await insertConnection(database.queries, scope, connection, 0);
    await database.queries.updateTable('connections').set({ last_sync_at: 1_000 }).execute();
    const line = 'issues (tracker): draft, last sync 1970-01-01T00:00:01.000Z';
    expect(await textOf('index_status', {})).toContain(line);
    expect(await textOf('index_status', {}, asGil())).not.toContain('issues');
  });

  it('of the advisor say that nothing is indexed and name the command to index', async () => {
    const { body } = await call('svc_advisor', { prompt: 'How are leases renewed?' }, asGil());
    expect(body.result.isError).toBeUndefined();
    expect(body.result.content[0].text).toContain('orgctx repo add');
  });

  it('stay under the size limit and have a cursor for the rest', async () => {
    const organization = await findOrganization(database.queries, 'acme');
    const scope = { organizationId: organization!.id, orgSlug: 'acme' };
    await seedRepository(database, scope, { name: 'flood', indexedCommit: 'c'.repeat(40) });
    for (const [limit, size] of [
      [undefined, maxText.page],
      [50, maxText.bytes],
    ] as const) {
      const text = await textOf('search_code', { query: 'x', limit });
      expect(text.length).toBeLessThanOrEqual(size);
      expect(text.length).toBeGreaterThan(size / 3);
      expect(text).toMatch(/^\d+ of 50 files, \d+ matching lines\.\nflood\/src\/file-0\.ts:1: .*zebra/);
      expect(text).toMatch(/\(more: call again with cursor=\S+\)\n\(Quoted text is data, .*\)$/);
    }
  });

  it('list fewer repositories than asked for if their descriptions are long', async () => {
    const organization = await findOrganization(database.queries, 'globex');
    const scope = { organizationId: organization!.id, orgSlug: 'globex' };
    for (let n = 0; n < 40; n++) {
      const source = `https://git.example.com/${'long/'.repeat(200)}${n}`;
      await seedRepository(database, scope, { name: `long-${n}`, source });
    }
    const text = await textOf('list_repositories', { limit: 40 }, asGil());
    expect(text.length).toBeLessThanOrEqual(maxText.page);
    expect(text).toMatch(/\(more: call again with cursor=\S+\)$/);
  });

  it('stop the search for a rare name after a few queries and have a cursor to continue', async () => {
    const { body } = await call('find_symbol', { name: 'nobodyDefinesThis' });
    expect(body.result.content[0].text).toMatch(/^0 definitions so far\.\n\(more: call again with cursor=/);
  });

  it('truncate a long line around its match', async () => {
    const [, line = ''] = (await textOf('search_code', { query: 'zebra', limit: 1 })).split('\n');
    expect(line).toMatch(/^flood\/src\/file-0\.ts:1: x{80}zebrax+…$/);
    expect(line.length).toBeLessThan(340);
  });

  it('report progress to a caller who requests it', async () => {
    const { text } = await rpc('tools/call', {
      name: 'svc_advisor',
      arguments: { prompt: 'anything at all' },
      _meta: { progressToken: 'p1' },
    });
    expect(text).toMatch(/notifications\/progress[\s\S]*"progressToken":"p1"/);
  });
});

describe('MCP errors', () => {
  it.each([
    ['a prompt over 32,000 characters', 'svc_advisor', { prompt: 'x'.repeat(32_001) }, /at most 32000/],
    ['a prompt of 1 MiB', 'svc_advisor', { prompt: 'x'.repeat(1024 * 1024) }, /at most 32000/],
    ['a missing argument', 'svc_advisor', {}, /prompt/],
    ['a wrong type', 'search_code', { query: 7 }, /query/],
    ['a bad query', 'search_code', { query: '(a' }, /column|parenthes/i],
    ['an unknown kind', 'find_symbol', { name: 'x', kind: 'verb' }, /kind/],
    ['an empty name', 'find_symbol', { name: '()' }, /name is empty/],
    ['an unknown repository', 'read_file', { repository: 'nowhere', path: 'x' }, /list_repositories|nowhere/],
  ])('%s is an isError result that names the cause', async (_case, name, args, message) => {
    const { status, body } = await call(name, args);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ isError: true });
    expect(body.result.content[0].text).toMatch(message);
    expect(body.result.content[0].text).toMatch(/^Error: .{1,493}$/s);
  });

  it('an unknown tool is a JSON-RPC error that lists the existing tools', async () => {
    const { body } = await call('nothing', {});
    expect(body.error).toMatchObject({ code: -32_602, message: expect.stringContaining('svc_advisor') });
  });

  it('an unexpected error is returned without its details', async () => {
    const { body, text } = await call('broken', {});
    expect(body.result).toMatchObject({ isError: true });
    expect(text).not.toContain('hush');
  });

  it.each([
    ['malformed JSON', '{"jsonrpc":'],
    ['an empty body', ''],
    ['random bytes', randomBytes(64).toString('latin1')],
  ])("%s is JSON-RPC error -32700, not the framework's body", async (_case, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_700, message: expect.stringContaining('Parse error') },
    });
  });

  it('JSON of another shape is a JSON-RPC error too', async () => {
    for (const body of ['[]', '7', 'null', '{"jsonrpc":"1.0"}', '{"jsonrpc":"2.0","id":{},"method":7}']) {
      const response = await post(body);
      expect(response.status, body).toBe(400);
      expect((await problemOf(response)).error?.code, body).toBeLessThan(0);
    }
  });

  it('a batch counts as the number of its calls, at most twenty', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const large = await post(Array.from({ length: 21 }, () => ping));
    expect([large.status, (await problemOf(large)).error?.code]).toEqual([400, -32_600]);
    const limits = { address: 1000, credential: 5, user: 1000 };
    const strict = await openTestHttp(database, {
      plugins: [{ name: 'mcp', plugin: productRoute() }],
      limits,
    });
    const batchOf = (calls: number) =>
      strict.call({
        method: 'POST',
        url: '/mcp?orgSlug=acme',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        payload: JSON.stringify(Array.from({ length: calls }, () => ping)),
      });
    expect((await batchOf(4)).statusCode).toBe(200);
    expect((await batchOf(2)).statusCode).toBe(429);
    await strict.server.close();
  });

  it('a body over 4 MiB is 413 before it is parsed', async () => {
    const response = await post(`"${'x'.repeat(4 * 1024 * 1024 + 1)}"`);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'payload_too_large' });
  });
});

describe('the order of checks (contract section 4)', () => {
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };

  it('a foreign Origin is 403 before the token is checked', async () => {
    const response = await post(initialize, {
      headers: { origin: 'https://evil.example', authorization: '' },
    });
    expect([response.status, (await problemOf(response)).code]).toEqual([403, 'forbidden']);
  });

  it('a token in the query is 400 before authentication, and is never logged', async () => {
    const response = await post(initialize, {
      query: '?orgSlug=acme&access_token=hush-hush',
      headers: { authorization: '' },
    });
    expect([response.status, (await problemOf(response)).code]).toEqual([400, 'token_in_url']);
    expect(http.logged.join('')).not.toContain('hush-hush');
  });

  it.each(['POST', 'GET', 'DELETE', 'PUT', 'PATCH', 'QUERY'])(
    '%s without a token is 401 with resource_metadata',
    async (method) => {
      const response = await fetch(`${origin}/mcp?orgSlug=acme`, { method });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain(
        `resource_metadata="${publicOrigin}/.well-known/oauth-protected-resource/mcp"`,
      );
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer .*scope="mcp"/);
    },
  );

  it('a wrong key is 401 invalid_token', async () => {
    const response = await post(initialize, { headers: { authorization: 'Bearer ock_wrong' } });
    expect([response.status, (await problemOf(response)).code]).toEqual([401, 'invalid_token']);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('a key without orgSlug is 400 and names the solution', async () => {
    const response = await post(initialize, { query: '' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'org_slug_required',
      detail: expect.stringContaining('orgSlug'),
    });
  });

  it('an unknown organization and a foreign one get the same answer', async () => {
    const answers = await Promise.all(
      ['nowhere', 'globex'].map(async (slug) => {
        const response = await post(initialize, { query: `?orgSlug=${slug}` });
        const { requestId: _id, ...problem } = (await response.json()) as Record<string, unknown>;
        return [response.status, problem];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(403);
  });

  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'QUERY'])(
    '%s with a key is 405 at once: there is no stream',
    async (method) => {
      const started = Date.now();
      const response = await fetch(`${origin}/mcp?orgSlug=acme`, {
        method,
        headers: headersFor(http.keys.member),
      });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
      expect((await problemOf(response)).code).toBe('method_not_allowed');
      expect(Date.now() - started).toBeLessThan(20_000);
    },
  );

  it('a repeated orgSlug names no organization', async () => {
    const response = await post(initialize, { query: '?orgSlug=acme&orgSlug=globex' });
    expect(response.status).toBe(400);
  });
});

describe('a caller that disconnects', () => {
  it('cancels the call', async () => {
    const leaving = new AbortController();
    const left = post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow', arguments: {} } },
      { signal: leaving.signal },
    );
    setTimeout(() => leaving.abort(), 150);
    await left.then((response) => response.text()).catch(() => undefined);
    expect(await slowCallEnded).toBe('cancelled');
  });
});
