import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { caller, openLoginService } from '../../test/standins/login-service.ts';
import {
  runCli,
  type SeenRequest,
  type StandInAnswer,
  type StandInService,
  standInService,
} from '../../test/support/command-line.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

const answer = {
  answer: 'Leases are given back by the reaper [1].',
  citations: [
    {
      n: 1,
      kind: 'code',
      repository: 'service',
      path: 'src/lease.ts',
      startLine: 3,
      endLine: 9,
      commit: 'a'.repeat(40),
      uri: 'ctx://repo/service/file/src/lease.ts',
      url: 'https://git.example.com/service/lease.ts#L3-L9',
      title: 'src/lease.ts',
      reason: 'content: lease',
    },
  ],
  freshness: [],
  truncated: false,
};

type Result = {
  isError?: boolean;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
};

/** The protocol as the SDK of the service speaks it, with one tool that answers `result`. */
function speaksMcp(result: Result) {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'stand-in', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', (request) =>
      request.params.name === 'svc_advisor' ? result : { isError: true, content: [] },
    );
    return server;
  });
  return async ({ url, headers, body }: SeenRequest): Promise<StandInAnswer> => {
    const request = new Request(`http://127.0.0.1${url}`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: JSON.stringify(body),
    });
    const response = await handler.fetch(request, { parsedBody: body });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
}

let service: StandInService;
afterEach(() => service.close());

async function ask(
  respond: (request: SeenRequest) => Promise<StandInAnswer> | StandInAnswer,
  ...words: readonly string[]
) {
  service = await standInService(respond);
  const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
  return runCli(['ask', 'Who gives leases back?', ...words], { env });
}

describe('ask', () => {
  const told = { content: [{ type: 'text' as const, text: answer.answer }], structuredContent: answer };

  it('calls svc_advisor with exactly the prompt, as the protocol wants it', async () => {
    const { code } = await ask(speaksMcp(told));
    expect(code).toBe(0);
    expect(service.seen).toHaveLength(1);
    expect(service.seen[0]).toMatchObject({
      method: 'POST',
      url: '/mcp?orgSlug=acme',
      headers: { authorization: 'Bearer ock_0123456789' },
      body: {
        method: 'tools/call',
        params: { name: 'svc_advisor', arguments: { prompt: 'Who gives leases back?' } },
      },
    });
  });

  it('prints the answer with its numbered sources', async () => {
    const { stdout } = await ask(speaksMcp(told));
    expect(stdout).toBe(
      `${answer.answer}\n\n[1] service/src/lease.ts:3-9 @ aaaaaaaaaaaa\n    https://git.example.com/service/lease.ts#L3-L9\n`,
    );
  });

  it('gives the whole structured content with --json, and keeps stderr out of it', async () => {
    const { stdout } = await ask(speaksMcp(told), '--json');
    expect(JSON.parse(stdout)).toEqual(answer);
  });

  it('reads the answer whether it comes as JSON or after other events of a stream', async () => {
    const message = { jsonrpc: '2.0', id: 1, result: told };
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
    const events = [progress, message]
      .map((one) => `event: message\ndata: ${JSON.stringify(one)}\n\n`)
      .join('');
    const streamed = { headers: { 'content-type': 'text/event-stream' }, body: events };
    expect(JSON.parse((await ask(() => streamed, '--json')).stdout)).toEqual(answer);
    expect(JSON.parse((await ask(() => ({ body: message }), '--json')).stdout)).toEqual(answer);
  });

  it('tells what the tool refuses, in its words', async () => {
    const refused = {
      isError: true,
      content: [{ type: 'text' as const, text: 'At most 32000 characters are read.' }],
    };
    const { code, stdout, stderr } = await ask(speaksMcp(refused));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('error: At most 32000 characters are read.');
  });

  it('tells a JSON-RPC error and an answer that is none', async () => {
    const failed = { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Unknown tool' } };
    expect((await ask(() => ({ body: failed }))).stderr).toContain('svc_advisor failed: Unknown tool');
    const strange = await ask(() => ({ body: { hello: 1 } }));
    expect(strange.code).toBe(1);
    expect(strange.stderr).toContain('did not answer svc_advisor as orgctx does');
  });
});

describe('ask with a login', () => {
  const item = {
    rank: 1,
    kind: 'code',
    repository: 'service',
    path: 'src/lease.ts',
    startLine: 3,
    endLine: 4,
    commit: 'a'.repeat(40),
    uri: 'ctx://repo/service/file/src/lease.ts',
    url: 'https://git.example.com/service/lease.ts#L3-L4',
    title: 'function giveBack in service/src/lease.ts:3-4',
    excerpt: 'export function giveBack() {\n}',
    score: 2,
    reasons: ['content: lease'],
  };
  const freshness = [
    { repository: 'service', indexedCommit: 'a'.repeat(40), indexedAt: '2026-11-21T00:00:00.000Z' },
  ];

  async function askSignedIn(answers: Readonly<Record<string, object>>, ...words: readonly string[]) {
    const signedIn = await openLoginService();
    service = signedIn;
    signedIn.state.rest = ({ url }) => ({ body: answers[url] ?? caller });
    const env = { ORGCTX_URL: signedIn.url, XDG_CONFIG_HOME: temporaryFolder() };
    await runCli(['login'], { env });
    signedIn.seen.length = 0;
    return runCli(['ask', 'Who gives leases back?', ...words], { env });
  }

  it('quotes the evidence with its citations, as the advisor would, without calling /mcp', async () => {
    const context = { items: [item], entities: [], truncated: false, freshness };
    const { code, stdout } = await askSignedIn({ '/acme/api/v1/context': context });
    expect(code).toBe(0);
    expect(service.seen.map(({ url, body }) => [url, body])).toEqual([
      ['/acme/api/v1/context', { prompt: 'Who gives leases back?', limit: 12 }],
    ]);
    expect(stdout).toContain('The best match is `function giveBack` in `service/src/lease.ts` [1].');
    expect(stdout).toContain('```typescript\nexport function giveBack() {\n}\n```');
    expect(stdout).toContain('[1] service/src/lease.ts:3-4 @ aaaaaaaaaaaa\n');
  });

  it('has the form of svc_advisor with --json', async () => {
    const context = { items: [item], entities: [], truncated: false, freshness };
    const { stdout } = await askSignedIn({ '/acme/api/v1/context': context }, '--json');
    const { rank: _rank, score: _score, excerpt: _excerpt, reasons: _reasons, ...cited } = item;
    expect(JSON.parse(stdout)).toEqual({
      answer: expect.stringContaining('[1]'),
      citations: [{ n: 1, ...cited, reason: 'content: lease' }],
      freshness,
      truncated: false,
    });
  });

  it('says what is on its way while nothing is indexed', async () => {
    const empty = { items: [], entities: [], truncated: false, freshness: [] };
    const cloning = { id: 'r-1', name: 'service', source: 'x', state: 'cloning' };
    const repositories = { items: [cloning], nextCursor: null };
    const { stdout } = await askSignedIn({
      '/acme/api/v1/context': empty,
      '/acme/api/v1/repositories': repositories,
    });
    expect(stdout).toContain('still being indexed');
    expect(stdout).toContain('`service` (cloning)');
  });
});
