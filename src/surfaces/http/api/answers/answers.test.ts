import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../../../../test/support/database/databases.ts';
import { openTestHttp, type TestHttp } from '../../../../../test/support/http/http-server.ts';
import { noPassages, type SearchRequest } from '../../../../backends/codesearch/port.ts';
import type { RepositoryRecord } from '../../../../features/repositories/repository-record.ts';
import type { Database } from '../../../../foundation/db/database.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';

const commit = 'a'.repeat(40);
const lines = Array.from({ length: 30 }, (_, i) => `export const line${i + 1} = ${i + 1};`);
const content = `${lines.join('\n')}\n`;

describe('REST: search, context and source', () => {
  let database: Database;
  let http: TestHttp;
  let id: RepositoryId;
  let searched: SearchRequest | undefined;
  let stopped: AbortSignal | undefined;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestHttp(database, {
      codeSearch: {
        search: async (_scope, request, signal) => {
          searched = request;
          if (JSON.stringify(request.query).includes('forever')) {
            stopped = signal;
            await once(signal, 'abort');
          }
          return {
            files: [
              {
                repository: id,
                commit,
                path: 'src/a.ts',
                language: 'TypeScript',
                score: 2,
                branch: 'main',
                reasons: ['defines line3'],
                matches: [match],
                moreMatches: 3,
              },
            ],
            stats: { candidates: 1, scanned: 1, matched: 2, milliseconds: 1.5 },
            incomplete: 'limit',
            nextOffset: 1,
          };
        },
        rank: async () => {
          const file = { repository: id, commit, path: 'src/a.ts', language: 'TypeScript' } as const;
          const ranked = { ...file, fileClass: 'source', score: 2, reasons: ['text'] } as const;
          const own = {
            startLine: 1,
            endLine: 3,
            containers: [],
            lines: lines.slice(0, 3).map((text, at) => ({ line: at + 1, text })),
            values: [],
          };
          const passage = { ...ranked, ...own };
          return {
            files: [ranked],
            passages: { ...noPassages, best: [passage], nearest: [passage], confidence: 'likely' },
            unmatched: [],
          };
        },
      },
      sources: {
        readFile: async (_scope, { path }) =>
          path === 'src/a.ts'
            ? { commit, path, language: 'TypeScript', bytes: content.length, content }
            : undefined,
        listTree: async (_scope, { path }) =>
          path === '' ? { commit, entries: [{ path: 'src', kind: 'directory', bytes: 0 }] } : undefined,
      },
    });
    const added = await http.call({
      method: 'POST',
      url: '/acme/api/v1/repositories',
      payload: { source: 'https://git.example/team/shop' },
      as: 'admin',
    });
    id = added.json<RepositoryRecord>().id as RepositoryId;
    await database.queries
      .updateTable('repositories')
      .set({ state: 'indexed', indexed_commit: commit, indexed_at: 1_790_000_000_000 })
      .execute();
  });
  afterAll(async () => {
    await http.server.close();
    await database.close();
  });

  const match = {
    line: 3,
    column: 14,
    length: 5,
    text: lines[2] ?? '',
    textOffset: 0,
    before: [lines[1] ?? ''],
    after: [],
    symbol: { name: 'line3', kind: 'constant' as const },
  };
  const at = (path: string) => `/acme/api/v1/repositories/${id}/${path}`;

  it('searches, and continues with the cursor of the previous page', async () => {
    const answer = await http.call({ url: '/acme/api/v1/search?q=line3&limit=1&context=1' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      items: [
        {
          repository: expect.stringContaining('shop'),
          repositoryId: id,
          branch: 'main',
          commit,
          path: 'src/a.ts',
          language: 'TypeScript',
          score: 2,
          reasons: ['defines line3'],
          matches: [match],
          moreMatches: 3,
        },
      ],
      stats: { candidates: 1, scanned: 1, matched: 2, milliseconds: 1.5 },
      incomplete: 'limit',
      nextCursor: expect.any(String),
    });
    expect(searched).toMatchObject({ limit: 1, contextLines: 1 });
    const { nextCursor } = answer.json<{ nextCursor: string }>();
    await http.call({ url: `/acme/api/v1/search?q=line3&limit=1&cursor=${nextCursor}` });
    // A page of one file continues in it while more of its lines match.
    expect(searched).toMatchObject({ offset: 0, skipMatches: 1 });
  });

  it('searches the repositories that are named only, and refuses an unknown one', async () => {
    const { name } = (await http.call({ url: `/acme/api/v1/repositories/${id}` })).json<RepositoryRecord>();
    for (const named of [name, id]) {
      const query = new URLSearchParams({ q: 'line3', repositories: named });
      expect((await http.call({ url: `/acme/api/v1/search?${query}` })).statusCode).toBe(200);
    }
    const wrong = await http.call({ url: `/acme/api/v1/search?q=line3&repositories=${name},${name}x` });
    expect([wrong.statusCode, wrong.json().detail]).toEqual([
      400,
      `Repositories: there is no searchable repository \`${name}x\`; did you mean \`${name}\`?`,
    ]);
  });

  it('returns one line per file and a summary line for NDJSON clients', async () => {
    const url = '/acme/api/v1/search?q=line3&limit=1';
    const accept = 'text/plain, application/x-ndjson; q=0.9';
    const answer = await http.call({ url, headers: { accept } });
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    const page = (await http.call({ url })).json<{ items: unknown[] }>();
    const { items, ...summary } = page;
    expect(
      answer.body
        .split('\n')
        .filter(Boolean)
        .map((line): unknown => JSON.parse(line)),
    ).toEqual([...items, summary]);
    const refused = await http.call({ url: '/acme/api/v1/search?q=(a', headers: { accept } });
    expect([refused.statusCode, refused.headers['content-type']]).toEqual([
      400,
      expect.stringContaining('application/problem+json'),
    ]);
  });

  it('searches 50 files without context by default', async () => {
    await http.call({ url: '/acme/api/v1/search?q=line3' });
    expect(searched).toMatchObject({ limit: 50, contextLines: 0 });
  });

  it.each([
    '',
    'q=',
    'q=a&q=b',
    'q=(a',
    'q=a&limit=201',
    'q=a&context=11',
    'q=a&cursor=forged',
    'q=%00',
    'q[a]=b',
  ])('refuses the search %j and names the field', async (query) => {
    const answer = await http.call({ url: `/acme/api/v1/search?${query}` });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'validation_failed', errors: [expect.anything()] });
  });

  it('returns the evidence for a prompt, without prose', async () => {
    const payload = { prompt: 'where is line2 defined?', limit: 5 };
    const answer = await http.call({ method: 'POST', url: '/acme/api/v1/context', payload });
    expect(answer.statusCode).toBe(200);
    expect(Object.keys(answer.json<object>()).toSorted()).toEqual([
      'entities',
      'freshness',
      'items',
      'truncated',
    ]);
    expect(answer.json()).toMatchObject({
      items: expect.arrayContaining([
        {
          rank: expect.any(Number),
          kind: 'code',
          repository: 'team/shop',
          path: 'src/a.ts',
          startLine: expect.any(Number),
          endLine: expect.any(Number),
          commit,
          uri: expect.stringContaining('ctx://repo/team/shop/file/src/a.ts'),
          url: expect.stringContaining(
            `https://ctx.example/app/acme/repositories/${id}/file?path=src%2Fa.ts`,
          ),
          title: expect.any(String),
          excerpt: expect.stringContaining('line2'),
          score: expect.any(Number),
          reasons: expect.arrayContaining([expect.any(String)]),
        },
      ]),
      entities: [],
      truncated: expect.any(Boolean),
      freshness: [{ indexedCommit: commit, indexedAt: '2026-09-21T14:13:20.000Z' }],
    });
  });

  it('answers a question with its sources', async () => {
    const payload = { prompt: 'where is line2 defined?' };
    const answer = await http.call({ method: 'POST', url: '/acme/api/v1/ask', payload });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      answer: expect.stringMatching(/^Likely: `team\/shop\/src\/a\.ts:1-3` \[1\], /),
      citations: [
        expect.objectContaining({
          n: 1,
          path: 'src/a.ts',
          startLine: 1,
          endLine: 3,
          commit,
          excerpt: expect.any(String),
        }),
      ],
      confidence: 'likely',
      freshness: [{ repository: 'team/shop', indexedCommit: commit, indexedAt: '2026-09-21T14:13:20.000Z' }],
      truncated: false,
    });
  });

  it.each([{}, { prompt: '  ' }, { prompt: 'x'.repeat(32_001) }, { prompt: 'x', limit: 5 }])(
    'refuses invalid questions: %#',
    async (payload) => {
      const answer = await http.call({ method: 'POST', url: '/acme/api/v1/ask', payload });
      expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([400, 'validation_failed']);
    },
  );

  it.each([
    {},
    { prompt: '' },
    { prompt: '  \n' },
    { prompt: 'x'.repeat(32_001) },
    { prompt: 'x', limit: 101 },
    { prompt: 'x', limit: '5' },
    { prompt: 'x', budgetTokens: -1 },
    { prompt: 'x', depth: 3 },
  ])('refuses invalid prompts: %#', async (payload) => {
    const answer = await http.call({ method: 'POST', url: '/acme/api/v1/context', payload });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'validation_failed', errors: [expect.anything()] });
  });

  it('reads lines of a file', async () => {
    const answer = await http.call({ url: at('file?path=src/a.ts&lines=2-3') });
    expect(answer.json()).toEqual({
      commit,
      path: 'src/a.ts',
      language: 'TypeScript',
      startLine: 2,
      totalLines: 30,
      content: expect.stringMatching(/^export const line2 = 2;\nexport const line3 = 3;\n?$/),
    });
  });

  it('lists a folder', async () => {
    const answer = await http.call({ url: at('tree') });
    expect(answer.json()).toEqual({ commit, entries: [{ path: 'src', kind: 'directory', bytes: 0 }] });
  });

  it.each([
    ['file', 400],
    ['file?path=', 400],
    ['file?path=a&path=b', 400],
    ['file?path=../../etc/passwd', 400],
    ['file?path=a%00b', 400],
    ['file?path=src/a.ts&lines=9-1', 400],
    ['file?path=src/a.ts&lines=x', 400],
    ['file?path=src/a.ts&commit=abc123', 400],
    ['file?path=src/a.ts&commit=HEAD', 400],
    ['file?path=src/a.ts&commit=--output=x', 400],
    ['file?path=nothing', 404],
    ['tree?path=nothing', 404],
    ['tree?path=..', 400],
  ])('%s returns %i', async (path, status) => {
    const answer = await http.call({ url: at(path) });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });

  it('stops the work when the caller disconnects', async () => {
    await http.server.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((http.server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(
      `GET /acme/api/v1/search?q=forever HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${http.keys.member}\r\n\r\n`,
    );
    await expect.poll(() => stopped).toBeDefined();
    expect(stopped?.aborted).toBe(false);
    socket.destroy();
    await expect.poll(() => stopped?.aborted).toBe(true);
  });
});
