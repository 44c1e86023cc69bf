import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { mcpRoute } from '../../src/surfaces/mcp/route.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/databases.ts';
import { emptyKnowledge } from '../support/graph/opened-graph.ts';
import { openTestAnswers, openTestHttp, publicOrigin, type TestHttp } from '../support/http/http-server.ts';
import { silentLog } from '../support/silent-log.ts';

const mebibyte = 1024 * 1024;

let database: TestDatabase;
let http: TestHttp;

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  const identity = { queries: database.queries, clock: systemClock };
  const answers = openTestAnswers(database, publicOrigin);
  const plugin = mcpRoute({
    deps: { baseUrl: publicOrigin, version: '1.2.3', identity, answers, knowledge: emptyKnowledge },
    log: silentLog,
  });
  http = await openTestHttp(database, { plugins: [{ name: 'mcp', plugin }] });
  return async () => {
    await http.server.close();
    await database.close();
  };
});

const accept = 'application/json, text/event-stream';

async function rpc(body: unknown, headers: Record<string, string> = {}) {
  const answer = await http.call({
    method: 'POST',
    url: '/mcp?orgSlug=acme',
    headers: { 'content-type': 'application/json', accept, ...headers },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const data = answer.body.startsWith('event:') ? answer.body.split('\ndata: ').at(-1)! : answer.body;
  return { status: answer.statusCode, size: answer.body.length, text: answer.body, body: JSON.parse(data) };
}

const call = (method: string, params: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

const wide = (members: number) =>
  Object.fromEntries(Array.from({ length: members }, (_, n) => [n.toString(36), 1]));
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('a body with', () => {
  it.each([
    [
      '300,000 members',
      JSON.stringify(call('initialize', { capabilities: { experimental: wide(300_000) } })),
    ],
    [
      '300,000 items',
      JSON.stringify(call('tools/list', { cursor: Array.from({ length: 300_000 }, () => 1) })),
    ],
    ['100,000 levels', `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${deep(100_000)}}`],
    ['100,000 open brackets', '['.repeat(100_000)],
  ])('%s is refused on /mcp before it is parsed', async (_what, body) => {
    expect(await rpc(body)).toMatchObject({
      status: 413,
      body: {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_600, message: expect.stringMatching(/members and items|nested deeper/) },
      },
    });
  });

  it.each([
    ['100,000 members', JSON.stringify({ prompt: 'x', ...wide(50_000) })],
    ['100,000 levels', deep(100_000)],
  ])('%s is refused by REST before it is parsed', async (_what, payload) => {
    const answer = await http.call({
      method: 'POST',
      url: '/acme/api/v1/context',
      headers: { 'content-type': 'application/json' },
      payload,
    });
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'payload_too_large']);
  });

  it('members that known clients send is accepted', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { experimental: wide(900) },
      clientInfo: { name: 'test', version: '1' },
    };
    expect(await rpc(call('initialize', params))).toMatchObject({ status: 200 });
  });
});

describe('an answer of /mcp', () => {
  const long = 'x'.repeat(3 * mebibyte);
  const modern = { 'mcp-protocol-version': '2026-07-28' };
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': long,
    'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  it.each([
    ['id', call('ping', {}, long), {}],
    ['method', call(long, {}), {}],
    ['method of a newer protocol', call(long, {}), modern],
    ['protocol version', call('tools/list', { _meta: envelope }), {}],
    ['tool', call('tools/call', { name: long, arguments: {} }), {}],
    ['argument', call('tools/call', { name: 'index_status', arguments: { [long]: 1 } }), {}],
    [
      'value of an argument',
      call('tools/call', { name: 'read_file', arguments: { repository: long, path: 'a' } }),
      {},
    ],
    ['path', call('tools/call', { name: 'read_file', arguments: { repository: 'a', path: long } }), {}],
    ['query', call('tools/call', { name: 'search_code', arguments: { query: long } }), {}],
    ['cursor', call('tools/call', { name: 'search_code', arguments: { query: 'a', cursor: long } }), {}],
    ['symbol', call('tools/call', { name: 'find_symbol', arguments: { name: long } }), {}],
    ['address of a resource', call('resources/read', { uri: `ctx://repo/a/file/${long}` }), {}],
    [
      'progress token',
      call('tools/call', { name: 'index_status', arguments: {}, _meta: { progressToken: long } }),
      {},
    ],
    ['member of the parameters', call('initialize', { [long]: long }), {}],
  ])('does not repeat a %s of 3 MiB', async (_what, body, headers) => {
    expect((await rpc(body, headers as Record<string, string>)).size).toBeLessThan(4_000);
  });

  it('names at most ten wrong arguments', async () => {
    const { size } = await rpc(call('tools/call', { name: 'search_code', arguments: wide(900) }));
    expect(size).toBeLessThan(4_000);
  });

  it.each([
    ['tools/list', { cursor: [1] }, /^Invalid parameters of tools\/list\. cursor: .*string/],
    ['initialize', { protocolVersion: 7 }, /^Invalid parameters of initialize\. protocolVersion: .*string/],
    ['tools/call', { name: 7 }, /^Invalid parameters of tools\/call\. name: .*string/],
  ])('to wrong parameters of %s is -32602 with a sentence', async (method, params, message) => {
    const { body } = await rpc(call(method, params));
    expect(body.error).toMatchObject({ code: -32_602, message: expect.stringMatching(message) });
    expect(body.error.message).not.toMatch(/[[{]/);
  });
});

it('a problem of REST does not repeat a member of 500 KiB', async () => {
  const answer = await http.call({
    method: 'POST',
    url: '/acme/api/v1/repositories',
    as: 'admin',
    payload: { source: 'https://git.example/a', ['x'.repeat(500_000)]: 'x'.repeat(400_000) },
  });
  expect(answer.statusCode).toBe(400);
  expect(answer.body.length).toBeLessThan(4_000);
});

describe('bodies that are not received to their end', () => {
  const sockets: Socket[] = [];
  let port: number;

  beforeAll(async () => {
    await http.server.listen({ host: '127.0.0.1', port: 0 });
    port = (http.server.server.address() as AddressInfo).port;
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(held).toBe(0);
  });

  const mcp = '/mcp?orgSlug=acme';
  const rest = '/acme/api/v1/context';

  /** Sends all of a body but its last byte. Resolves with the first bytes of the answer. */
  function nearly(path: string, key: string, length: number): Promise<string> {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    const head = [`POST ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${key}`, `Accept: ${accept}`];
    const entity = ['Content-Type: application/json', `Content-Length: ${length}`];
    socket.write(`${[...head, ...entity].join('\r\n')}\r\n\r\n`);
    socket.write(Buffer.alloc(length - 1, ' '));
    const answer = (once(socket, 'data') as Promise<[Buffer]>).then(([first]) => String(first));
    answer.catch(() => {});
    return answer;
  }

  const held = (): number => http.server.bodyBudget.held;

  it('hold at most an eighth of the budget for one user, on /mcp and REST together', async () => {
    const answers = Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0
        ? nearly(mcp, http.keys.member, 3 * mebibyte)
        : nearly(rest, http.keys.member, mebibyte),
    );
    const first = await Promise.race(answers);
    expect(first).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1\r\n[^]*"code":"rate_limited"/i);
    expect(held()).toBeLessThanOrEqual(8 * mebibyte);
    expect((await http.call({ url: '/acme/api/v1/repositories', as: 'admin' })).statusCode).toBe(200);
    const other = { method: 'POST', url: rest, as: 'admin', payload: { prompt: 'x' } } as const;
    expect((await http.call(other)).statusCode).toBe(200);
  });

  it('count as 503 overloaded when all users together hold too much', async () => {
    const others = http.server.bodyBudget.open({ owner: 'others', length: undefined });
    const release = others.use();
    others.add(55 * mebibyte);
    const answer = await nearly(mcp, http.keys.member, 3 * mebibyte);
    expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5\r\n[^]*"code":"overloaded"/i);
    expect((await rpc(call('ping', {}))).status).toBe(200);
    release();
  });

  it('are not read at all without a credential or a route', async () => {
    for (const [path, key, status] of [
      [mcp, 'ock_wrong', 401],
      ['/nowhere', http.keys.member, 404],
    ] as const) {
      expect(await nearly(path, key, mebibyte)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
    expect(held()).toBe(0);
  });
});
