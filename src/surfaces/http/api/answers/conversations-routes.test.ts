import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { seedRepository } from '../../../../../test/support/codesearch/seeded-repositories.ts';
import { useTestHttp } from '../../../../../test/support/http/http-server.ts';
import { watchInFlight } from '../../../../app/processes/in-flight.ts';
import { type CodeSearch, noPassages } from '../../../../backends/codesearch/port.ts';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import { newId, type OrganizationId } from '../../../../foundation/kernel/ids.ts';

const list = '/acme/api/v1/conversations';
const events = { accept: 'text/event-stream' };

/** Returns the events of a stream as pairs of name and data. */
function eventsOf(body: string): [string, Record<string, unknown>][] {
  return body
    .split('\n\n')
    .filter(Boolean)
    .map((block) => {
      const [, name = '', data = ''] = /^event: (\w+)\ndata: (.*)$/u.exec(block) ?? [];
      return [name, JSON.parse(data)];
    });
}

describe('REST: conversations', async () => {
  const http = await useTestHttp();
  const { queries } = http.database;
  afterEach(async () => {
    await queries.deleteFrom('conversations').execute();
  });

  const create = async (payload?: object): Promise<string> => {
    const answer = await http.call({ method: 'POST', url: list, ...(payload && { payload }) });
    expect(answer.statusCode).toBe(201);
    return answer.json().id;
  };
  const ask = (id: string, content: string, headers = {}) =>
    http.call({ method: 'POST', url: `${list}/${id}/messages`, payload: { content }, headers });

  it('are created, read, asked and deleted in the format of the contract', async () => {
    const id = await create();
    const record = (await http.call({ url: `${list}/${id}` })).json();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(record).toEqual({ id, title: null, messages: 0, createdAt: time, updatedAt: time });
    const answered = await ask(id, 'Where is the lease?');
    expect([answered.statusCode, answered.json()]).toEqual([
      201,
      {
        message: { id: expect.any(String), role: 'user', content: 'Where is the lease?', createdAt: time },
        answer: {
          id: expect.any(String),
          content: expect.stringContaining('Nothing is indexed'),
          citations: [],
          confidence: 'weak',
          freshness: [],
          truncated: false,
        },
      },
    ]);
    const { message, answer } = answered.json();
    const messages = (await http.call({ url: `${list}/${id}/messages` })).json();
    expect(messages).toEqual({
      items: [
        message,
        { id: answer.id, role: 'assistant', content: answer.content, citations: [], createdAt: time },
      ],
      nextCursor: null,
    });
    expect((await http.call({ url: list })).json().items).toMatchObject([
      { id, title: 'Where is the lease?', messages: 2 },
    ]);
    expect((await http.call({ method: 'DELETE', url: `${list}/${id}` })).statusCode).toBe(204);
    expect((await http.call({ url: `${list}/${id}` })).statusCode).toBe(404);
  });

  it('do not exist for another member, whatever their role, and for unknown ids', async () => {
    const id = await create({ title: 'Leases' });
    for (const as of ['owner', 'admin'] as const) {
      expect((await http.call({ url: list, as })).json().items).toEqual([]);
      for (const each of [id, newId(), 'x\u0000']) {
        const url = `${list}/${encodeURIComponent(each)}`;
        const answers = [
          await http.call({ url, as }),
          await http.call({ url: `${url}/messages`, as }),
          await http.call({ method: 'POST', url: `${url}/messages`, payload: { content: 'x' }, as }),
          await http.call({ method: 'DELETE', url, as }),
        ];
        for (const { statusCode, body } of answers)
          expect([statusCode, body]).toEqual([404, expect.stringContaining('no such conversation')]);
      }
    }
    expect((await http.call({ url: `${list}/${id}` })).json()).toMatchObject({
      title: 'Leases',
      messages: 0,
    });
  });

  it.each([[{ content: ' ' }], [{ content: 'x'.repeat(32_001) }], [{ content: 'x', more: true }], [{}]])(
    'refuse a wrong question %#',
    async (payload) => {
      const url = `${list}/${await create()}/messages`;
      const answer = await http.call({ method: 'POST', url, payload });
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'validation_failed']);
    },
  );

  it('stream the answer as events', async () => {
    const id = await create();
    const answer = await ask(id, 'Where is the lease?', events);
    expect([answer.statusCode, answer.headers]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'text/event-stream',
        'x-accel-buffering': 'no',
        'cache-control': 'no-store',
      }),
    ]);
    const sent = eventsOf(answer.body);
    expect(sent[0]).toEqual(['status', { message: 'Searching the indexed repositories' }]);
    const named = (name: string) => sent.filter(([event]) => event === name).map(([, data]) => data);
    const text = named('delta')
      .map((data) => data['text'])
      .join('');
    expect(sent.slice(-2).map(([name]) => name)).toEqual(['citations', 'done']);
    expect(named('citations')).toEqual([{ citations: [] }]);
    expect(named('done')).toEqual([
      {
        message: expect.objectContaining({ role: 'user' }),
        answer: expect.objectContaining({ content: text }),
      },
    ]);
  });

  it('answer a refused question with a problem, also to a caller that wants events', async () => {
    const answer = await ask(newId(), 'Where?', events);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      404,
      expect.stringContaining('application/problem+json'),
    ]);
  });
});

describe('REST: an answer that takes long', async () => {
  interface Search {
    readonly signal: AbortSignal;
    readonly end: (error?: Error) => void;
  }
  const begun: ((search: Search) => void)[] = [];
  const nextSearch = (): Promise<Search> => new Promise((resolve) => begun.push(resolve));
  const rank: CodeSearch['rank'] = async (_scope, _request, signal) => {
    const held = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => held.reject(signal.reason));
    begun.shift()?.({ signal, end: (error) => (error ? held.reject(error) : held.resolve()) });
    if (!signal.aborted) await held.promise;
    return { files: [], passages: noPassages, unmatched: [] };
  };
  const http = await useTestHttp({ codeSearch: { rank } });
  // The client keeps a connection open for the next request after one that it aborted.
  afterAll(() => http.server.server.closeAllConnections());
  const inFlight = watchInFlight(http.server.server);
  await http.server.listen({ host: '127.0.0.1', port: 0 });
  const address = http.server.server.address() as AddressInfo;
  const organization = http.database.queries.selectFrom('organizations').where('slug', '=', 'acme');
  const { id: organizationId } = await organization.select('id').executeTakeFirstOrThrow();
  const scope = { organizationId: organizationId as OrganizationId, orgSlug: 'acme' };
  await seedRepository(http.database, scope, {
    name: 'api',
    state: 'indexed',
    indexedCommit: 'c'.repeat(40),
  });

  afterEach(() => void vi.useRealTimers());

  /** Begins to ask in a conversation; returns when the search for it has begun. */
  async function begin(signal?: AbortSignal) {
    const { id } = (await http.call({ method: 'POST', url: list })).json();
    const path = `${list}/${id}/messages`;
    const searching = nextSearch();
    const answer = await fetch(`http://127.0.0.1:${address.port}${path}`, {
      method: 'POST',
      headers: {
        ...events,
        authorization: `Bearer ${http.keys.member}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ content: 'Where is the lease?' }),
      signal: signal ?? null,
    });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const read = async () => eventsOf((await reader?.read())?.value ?? '');
    // A question without words of its own, which is answered without a search.
    const again = () => http.call({ method: 'POST', url: path, payload: { content: 'And then?' } });
    return { answer, read, again, search: await searching };
  }

  async function readAll(read: () => Promise<[string, Record<string, unknown>][]>) {
    const all = [];
    for (let some = await read(); some.length > 0; some = await read()) all.push(...some);
    return all;
  }

  it('sends its status at once and every ten seconds, and counts as a request in flight', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { read, search } = await begin();
    const status = ['status', { message: 'Searching the indexed repositories' }];
    expect(await read()).toEqual([status]);
    vi.advanceTimersByTime(10_000);
    expect(await read()).toEqual([status]);
    const none = inFlight.untilNone(60_000).then(() => 'none');
    expect(await Promise.race([none, new Promise((resolve) => setImmediate(resolve, 'some'))])).toBe('some');
    search.end();
    expect((await readAll(read)).at(-1)?.[0]).toBe('done');
    expect(await none).toBe('none');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps its conversation from another question', async () => {
    const { read, again, search } = await begin();
    const refused = await again();
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'conflict']);
    search.end();
    expect((await readAll(read)).at(-1)?.[0]).toBe('done');
  });

  it('ends with a problem if it fails after it has begun', async () => {
    const { read, search } = await begin();
    search.end(new Unavailable('search_failed', 'The search failed. Ask again.'));
    const problem = { code: 'search_failed', status: 503, detail: 'The search failed. Ask again.' };
    expect((await readAll(read)).at(-1)).toEqual(['error', expect.objectContaining(problem)]);
    const logged = http.logged.map((line) => JSON.parse(line));
    expect(logged).toContainEqual(expect.objectContaining({ code: 'search_failed', msg: 'request refused' }));
  });

  it('stops when the caller disconnects, and leaves nothing behind', async () => {
    const gone = new AbortController();
    const { read, again, search } = await begin(gone.signal);
    await read();
    const stopped = new Promise((resolve) => search.signal.addEventListener('abort', resolve));
    gone.abort();
    await stopped;
    const answered = await vi.waitUntil(async () => {
      const answer = await again();
      return answer.statusCode === 409 ? undefined : answer;
    }, 10_000);
    expect(answered.json().message.content).toBe('And then?');
    expect((await http.call({ url: list })).json().items[0]).toMatchObject({
      title: 'And then?',
      messages: 2,
    });
  });
});
