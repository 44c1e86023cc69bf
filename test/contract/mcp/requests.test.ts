import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
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
let origin: string;

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  const identity = { queries: database.queries, clock: systemClock };
  const answers = openTestAnswers(database, publicOrigin);
  const plugin = mcpRoute({
    deps: { baseUrl: publicOrigin, version: '1.2.3', identity, answers, knowledge: emptyKnowledge },
    log: silentLog,
  });
  http = await openTestHttp(database, { plugins: [{ name: 'mcp', plugin }] });
  origin = await http.server.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await http?.server.close();
  await database?.close();
});

async function post(
  params: unknown,
  options: { path?: string; accept?: string; key?: string; method?: string } = {},
) {
  const { path = '/mcp', accept = 'application/json, text/event-stream', key = http.keys.member } = options;
  const { method = 'tools/call' } = options;
  const response = await fetch(`${origin}${path}?orgSlug=acme`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept,
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the Accept header of a call', () => {
  it.each([
    ['Application/JSON, Text/Event-Stream', 200],
    ['*/*', 200],
    ['application/json, */*', 200],
    ['application/*;q=0.5, text/*', 200],
    ['application/json; charset="a,b;q=0", text/event-stream', 200],
    ['application/json', 406],
    ['application/jsonx, text/event-stream-bogus', 406],
    ['application/json;q=0, text/event-stream;q=0', 406],
    ['*/*, text/event-stream; Q=0.000', 406],
  ])('%s is %i', async (accept, status) => {
    expect((await post({}, { accept, method: 'tools/list' })).status).toBe(status);
  });
});

describe('the address with a trailing slash', () => {
  it('is served as the address without it', async () => {
    expect((await post({}, { path: '/mcp/', method: 'tools/list' })).status).toBe(200);
  });

  it('is challenged with the metadata of /mcp', async () => {
    const { status, headers } = await post({}, { path: '/mcp/', key: '' });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toMatch(
      new RegExp(
        `^Bearer resource_metadata="${publicOrigin}/.well-known/oauth-protected-resource/mcp", .*"mcp"`,
      ),
    );
  });

  it('refuses a foreign Origin', async () => {
    const headers = { origin: 'https://evil.example' };
    expect((await fetch(`${origin}/mcp/`, { method: 'POST', headers })).status).toBe(403);
  });

  it.each(['oauth-protected-resource/mcp', 'oauth-authorization-server/mcp', 'oauth-authorization-server'])(
    'of %s returns the same metadata',
    async (name) => {
      const [plain, slash] = await Promise.all(
        ['', '/'].map((end) => fetch(`${origin}/.well-known/${name}${end}`)),
      );
      expect(slash?.status).toBe(200);
      expect(await slash?.text()).toBe(await plain?.text());
    },
  );
});

describe('arguments of a tool', () => {
  const textOf = (text: string) => text.replaceAll('\\"', '"');

  it.each([
    ['search_code', { query: 'x', limit: null, repositories: null, cursor: null }],
    ['list_repositories', null],
    ['list_repositories', { wait_for_previous: true }],
    ['svc_advisor', { prompt: 'Where is the queue?', wait_for_previous: false, mode: null }],
  ])('of %s may be null or unknown: %j', async (name, args) => {
    const { status, text } = await post({ name, arguments: args });
    expect(status).toBe(200);
    expect(text).toContain('"result"');
    expect(text).not.toContain('isError');
  });

  it.each([
    ['search_code', { query: null }, 'Pass `query`, or several as `queries`'],
    ['svc_advisor', { wait_for_previous: true }, 'prompt: Invalid input'],
    ['svc_advisor', { prompt: 7 }, 'prompt: Invalid input'],
    ['read_file', { __proto__: 'x', repository: 'a', toString: 'b' }, '`repository` and `path`'],
  ])('of %s are still checked: %j', async (name, args, message) => {
    const { text } = await post({ name, arguments: args });
    expect(textOf(text)).toContain(message);
  });
});
