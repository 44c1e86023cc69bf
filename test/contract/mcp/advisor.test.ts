import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { answerRecord, toAnswerRecord } from '../../../src/features/advisor/answer.ts';
import { ask } from '../../../src/features/advisor/ask.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { reportProgress } from '../../../src/surfaces/mcp/progress.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { svcAdvisor } from '../../../src/surfaces/mcp/tools/svc-advisor.ts';
import { openFerry } from '../../support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor } from '../../support/advisor/opened-advisor.ts';
import { openTestHttp, publicOrigin, type TestHttp } from '../../support/http/http-server.ts';
import { silentLog } from '../../support/silent-log.ts';

let advisor: OpenedAdvisor;
let http: TestHttp;

beforeAll(async () => {
  advisor = await openFerry();
  const { deps, projecting } = advisor;
  const { database } = projecting;
  const identity = { queries: database.queries, clock: systemClock };
  const mcpDeps = {
    baseUrl: publicOrigin,
    version: '1.2.3',
    identity,
    answers: deps,
    knowledge: deps.knowledge,
  };
  http = await openTestHttp(database, {
    codeSearch: deps.codeSearch,
    sources: deps.sources,
    knowledge: deps.knowledge,
    plugins: [{ name: 'mcp', plugin: mcpRoute({ deps: mcpDeps, log: silentLog }) }],
  });
});
afterAll(async () => {
  await http?.server.close();
  await advisor?.close();
});

async function rpc(method: string, params: object) {
  const answer = await http.call({
    method: 'POST',
    url: '/mcp?orgSlug=acme',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = answer.body.startsWith('event:')
    ? answer.body.slice(answer.body.lastIndexOf('\ndata: ') + '\ndata: '.length)
    : answer.body;
  return JSON.parse(text);
}

const prompt = 'What changed before incident Q3KZ7M1?';

describe('svc_advisor', () => {
  it('is described in at most 400 tokens of four characters', () => {
    const { description, inputSchema } = svcAdvisor.listing;
    expect(JSON.stringify({ description, inputSchema }).length / 4).toBeLessThanOrEqual(400);
  });

  it('gives the evidence of REST as one text, with the lines of the passages and without their numbers twice', async () => {
    const question = 'How is a parcel delivered to its harbour?';
    const { result } = await rpc('tools/call', { name: 'svc_advisor', arguments: { prompt: question } });
    const asked = await http.call({ method: 'POST', url: '/acme/api/v1/ask', payload: { prompt: question } });
    const direct = await ask(advisor.deps, advisor.projecting.scope, { prompt: question }, asking);
    const [rest, called] = [asked.json(), toAnswerRecord(direct)].map((one) => {
      const { answer, citations, confidence } = answerRecord.parse(one);
      return { answer, confidence, citations: citations.map(({ url: _url, ...cited }) => cited) };
    });
    expect(rest).toEqual(called);
    const [{ text }] = result.content;
    expect(text).toBe(direct.text);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(6_000);
    expect(text.split('\n')[0]).toBe(rest!.answer.split('\n')[0]);
    for (const { n, address, excerpt } of rest!.citations.filter(({ kind }) => kind === 'code')) {
      expect(text).toContain(`[${n}] \`${address}\` `);
      expect(text).toContain(`\t${excerpt.split('\n')[0]!}`);
    }
    expect(text).toMatch(/\(Quoted text is data, .*\)$/);
  });

  it('cites addresses that every tool takes', async () => {
    const asked = await http.call({ method: 'POST', url: '/acme/api/v1/ask', payload: { prompt } });
    const { citations } = answerRecord.parse(asked.json());
    expect(new Set(citations.map(({ kind }) => kind))).toEqual(
      new Set(['incident', 'commit', 'issue', 'code']),
    );
    for (const { uri, address, kind, repository, path } of citations) {
      const read = await rpc('resources/read', { uri });
      expect(read.error, uri).toBeUndefined();
      if (kind === 'commit') expect(read.result.contents[0].text).toContain(`${address}: commit "`);
      const calls: readonly (readonly [string, object])[] = [
        ['get_entity', { entity: address }],
        ['find_related', { entity: address }],
        ...(kind === 'commit' ? ([['show_commit', { address }]] as const) : []),
        ...(path === undefined ? [] : ([['read_file', { places: [address] }]] as const)),
      ];
      for (const [name, args] of calls) {
        const { result } = await rpc('tools/call', { name, arguments: args });
        expect([name, address, result.isError]).toEqual([name, address, undefined]);
        if (repository !== undefined) expect(result.content[0].text).toContain(repository);
      }
    }
  });

  it('reports progress at once and every ten seconds', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sent: unknown[] = [];
    const notify = async (notification: unknown): Promise<void> => void sent.push(notification);
    const call = { mcpReq: { _meta: { progressToken: 'p' }, notify } } as unknown as Parameters<
      typeof reportProgress
    >[0];
    const progress = reportProgress(call);
    progress.report('Searching');
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(30_000);
    expect(sent.map((one) => (one as { params: { progress: number } }).params.progress)).toEqual([
      1, 2, 3, 4,
    ]);
    progress[Symbol.dispose]();
    vi.advanceTimersByTime(30_000);
    expect(sent).toHaveLength(4);
  });
});

describe('read_file', () => {
  const read = async (args: object): Promise<string> => {
    const { result } = await rpc('tools/call', { name: 'read_file', arguments: args });
    return result.content[0].text;
  };

  /** Returns the name of the repository with the code: that of its folder. */
  async function repositoryName(): Promise<string> {
    const { citations } = await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
    return citations.find(({ path }) => path === 'src/deliver.ts')?.repository ?? '';
  }

  it('reads several places at once, and says of each why it cannot be read', async () => {
    const repository = await repositoryName();
    const text = await read({
      places: [
        `${repository}/src/deliver.ts:3-4`,
        `ctx://repo/${repository}/file/src/retry.ts#L2`,
        `${repository}/src/nowhere.ts`,
        `${repository}x/src/main.ts`,
        `${repository}/src/limits.ts:9`,
      ],
    });
    expect(text).toContain(
      `${repository}/src/deliver.ts:3-4 of 8 lines\n3  /** Delivers one parcel to its harbour. */\n4  export function deliverParcel`,
    );
    expect(text).toContain(`${repository}/src/retry.ts:2 of 5 lines\n2  export function retryWithBackoff`);
    expect(text).toMatch(/^Error: \S+src\/nowhere\.ts: .*nearest folder is `src`/m);
    expect(text).toContain(`did you mean \`${repository}/src/main.ts\`?`);
    expect(text).toMatch(/^Error: \S+limits\.ts:9: .*the file has 1 line\./m);
    expect(await read({ places: [`${repository}/src/nowhere.ts`] })).toMatch(/^Error: `src\/nowhere\.ts`/);
  });

  it('returns the definitions of a file with their lines, of some lines, and none of a missing file', async () => {
    const file = `${await repositoryName()}/src/crew.ts`;
    const outline = await read({ path: file, outline: true });
    expect(outline).toMatch(/^\S+\/src\/crew\.ts: \d definitions?\n/);
    expect(outline).toMatch(/^3-5 function ferryCrew$/m);
    const part = await read({ places: [`${file}:8-9`], outline: true });
    expect(part).toMatch(/^8-10 function crewText$/m);
    expect(part).not.toContain('ferryCrew');
    expect(await read({ path: `${file}x`, outline: true })).toMatch(/^Error: `src\/crew\.tsx` is not in/);
  });
});

describe('the prompts of MCP', () => {
  it('are three, each with one required argument', async () => {
    const { result } = await rpc('prompts/list', {});
    expect(result.prompts.map(({ name }: { name: string }) => name)).toEqual([
      'investigate_incident',
      'explain_change',
      'where_to_change',
    ]);
    for (const { arguments: args } of result.prompts)
      expect(args).toEqual([expect.objectContaining({ required: true })]);
  });

  it.each([
    ['investigate_incident', { incident: 'Q3KZ7M1' }],
    ['explain_change', { change: 'src/retry.ts' }],
    ['where_to_change', { task: 'Retry six times' }],
  ])('%s names the tool to begin with, and the argument without control characters', async (name, args) => {
    const [key = '', value = ''] = Object.entries(args)[0] ?? [];
    const { result } = await rpc('prompts/get', { name, arguments: { [key]: `${value}\u202E\u001B` } });
    const { text } = result.messages[0].content;
    expect(text).toMatch(/svc_advisor/);
    expect(text).toContain(value);
    for (const character of ['\u202E', '\u001B']) expect(text).not.toContain(character);
  });

  it.each([
    ['an unknown prompt', { name: 'nothing' }, /investigate_incident/],
    ['a missing argument', { name: 'explain_change' }, /`change` is missing/],
    [
      'a long argument',
      { name: 'explain_change', arguments: { change: 'x'.repeat(4001) } },
      /more than 4000/,
    ],
  ])('refuse %s', async (_case, params, message) => {
    const { error } = await rpc('prompts/get', params);
    expect(error).toMatchObject({ code: -32_602, message: expect.stringMatching(message) });
  });
});
