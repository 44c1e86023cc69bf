import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerTools } from '../../../src/app/open/answer-tools.ts';
import { openaiCompatible } from '../../../src/backends/models/ai-sdk/openai-compatible.ts';
import { answerRecord } from '../../../src/features/advisor/answer.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { UserId } from '../../../src/foundation/kernel/ids.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { type ModelService, startModelService } from '../../standins/model/model-service.ts';
import { openFerry } from '../../support/advisor/example-organization.ts';
import type { OpenedAdvisor } from '../../support/advisor/opened-advisor.ts';
import { openTestHttp, publicOrigin, type TestHttp } from '../../support/http/http-server.ts';
import { silentLog } from '../../support/silent-log.ts';

const closing = new AsyncDisposableStack();
const loginToken = 'token-of-a-login';
const cites = () => ({ text: 'The model says so [1].' });

let advisor: OpenedAdvisor;
let service: ModelService;
let http: TestHttp;
let userId: string;

beforeAll(async () => {
  advisor = closing.adopt(await openFerry(), (opened) => opened.close());
  service = closing.use(await startModelService(cites));
  const outbound = closing.adopt(createHttpClient({ allowHosts: [] }), (client) => client.close());
  const access = { url: service.urls['openai-compatible'], key: service.key, name: service.model };
  const languageModel = openaiCompatible.open(access, outbound, { stallMs: 20_000, maxBytes: 1_000_000 });
  const { deps, projecting } = advisor;
  const { database, scope } = projecting;
  const answers = { ...deps, model: { languageModel, tools: answerTools, log: silentLog } };
  const verifyAccessToken = async (token: string) => {
    if (token !== loginToken) return undefined;
    const credential = {
      kind: 'oauth',
      grantId: 'g',
      organizationId: scope.organizationId,
      firstParty: true,
    } as const;
    const scopes = new Set(['mcp', 'api'] as const);
    const principal = { userId: userId as UserId, email: 'member@example.com', credential, scopes };
    return { principal, membership: { scope, role: 'member' as const } };
  };
  const identity = { queries: database.queries, clock: systemClock, verifyAccessToken };
  const mcp = { baseUrl: publicOrigin, version: '1.2.3', identity, answers, knowledge: deps.knowledge };
  http = await openTestHttp(database, {
    codeSearch: deps.codeSearch,
    sources: deps.sources,
    knowledge: deps.knowledge,
    model: answers.model,
    verifyAccessToken,
    plugins: [{ name: 'mcp', plugin: mcpRoute({ deps: mcp, log: silentLog }) }],
  });
  closing.defer(() => http.server.close());
  const members = await database.queries.selectFrom('memberships').select(['user_id', 'role']).execute();
  userId = members.find(({ role }) => role === 'member')?.user_id ?? '';
});
afterAll(() => closing.disposeAsync());
beforeEach(() => {
  service.script = cites;
});

const prompt = 'What changed before incident Q3KZ7M1?';

function rest(path: string, bearer: string) {
  const headers = { authorization: `Bearer ${bearer}` };
  return http.server.inject({ method: 'POST', url: `/acme/api/v1${path}`, headers, payload: { prompt } });
}

async function viaMcp(bearer: string) {
  const answer = await http.server.inject({
    method: 'POST',
    url: '/mcp?orgSlug=acme',
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'svc_advisor', arguments: { prompt } },
    }),
  });
  const at = answer.body.lastIndexOf('data: ');
  const { result } = JSON.parse(answer.body.slice(at < 0 ? 0 : at + 'data: '.length));
  return (result as { content: readonly { text: string }[] }).content[0]?.text ?? '';
}

describe('an answer of the language model', () => {
  it('is the same after a login and with an API key, over REST and MCP', async () => {
    const bearers = [http.keys.member, loginToken];
    const texts = await Promise.all(bearers.map(viaMcp));
    const answers = (
      await Promise.all(bearers.map(async (bearer) => (await rest('/ask', bearer)).json()))
    ).map((each) => {
      const { citations, ...read } = answerRecord.parse(each);
      return { ...read, citations: citations.map(({ url: _url, ...cited }) => cited) };
    });
    expect(answers[0]).toMatchObject({
      answer: expect.stringMatching(/^The model says so \[1\]\./u),
      model: service.model,
    });
    expect(answers[0]?.citations.length).toBeGreaterThan(0);
    expect(answers[1]).toEqual(answers[0]);
    for (const text of texts) expect(text.startsWith(answers[0]!.answer)).toBe(true);
    expect(service.turns).toHaveLength(4);
  });

  it('is the extracted one with a notice while the model fails, in data and in text', async () => {
    service.script = () => 'failure';
    const answer = answerRecord.parse((await rest('/ask', loginToken)).json());
    expect(answer.answer).toContain('Harbour rejects every parcel');
    expect(answer.notice?.code).toBe('model_unavailable');
    expect(await viaMcp(http.keys.member)).toContain(answer.notice?.message);
  });

  it('is never asked for by /context', async () => {
    const before = service.requests.length;
    const { statusCode } = await rest('/context', http.keys.member);
    expect([statusCode, service.requests.length]).toEqual([200, before]);
  });

  it('ends when its caller disconnects', async () => {
    service.script = () => 'stall';
    const before = service.turns.length;
    await http.server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = http.server.server.address() as AddressInfo;
    const caller = new AbortController();
    const answer = fetch(`http://127.0.0.1:${port}/acme/api/v1/ask`, {
      method: 'POST',
      headers: { authorization: `Bearer ${http.keys.member}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt }),
      signal: caller.signal,
    });
    const check = expect(answer).rejects.toThrow('abort');
    await expect.poll(() => service.turns.length).toBe(before + 1);
    caller.abort();
    await check;
    await service.untilLeft();
  });
});
