import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { openGitSourceReader } from '../../src/backends/codesearch/git/git-source-reader.ts';
import type { CodeSearch, SourceReader } from '../../src/backends/codesearch/port.ts';
import { findOrganization } from '../../src/features/identity/people/organization-store.ts';
import { addRepository } from '../../src/features/repositories/add-repository.ts';
import { cloneRepository } from '../../src/features/repositories/clone-repository.ts';
import { eraseRepository } from '../../src/features/repositories/erase-repository.ts';
import { indexRepository } from '../../src/features/repositories/index-repository.ts';
import { mirrorPath } from '../../src/features/repositories/mirror-path.ts';
import { removeRepository } from '../../src/features/repositories/remove-repository.ts';
import { getRepository } from '../../src/features/repositories/repository-store.ts';
import type { WorkDeps } from '../../src/features/repositories/repository-work.ts';
import type { RepositoryId } from '../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../src/foundation/kernel/org-scope.ts';
import { mcpRoute } from '../../src/surfaces/mcp/route.ts';
import { openTestDatabase, type TestDatabase } from '../support/databases.ts';
import { createRepository } from '../support/git-repository.ts';
import { openTestAnswers, openTestHttp, publicOrigin, type TestHttp } from '../support/http-server.ts';
import { noLimits } from '../support/no-limits.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dataDir = temporaryFolder();
let database: TestDatabase;
let http: TestHttp;
let scope: OrgScope;
let work: WorkDeps;
let codeSearch: CodeSearch;
let sources: SourceReader;

const files = {
  'src/a.ts': 'export const wombat = { x: 1 };\nexport function open(): void {}\n',
  'src/b.go': 'package b\n\nfunc Wombat(x int) {}\n',
  'docs/c.md': 'Nothing here, but ünïcödé.\n',
};

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  const root = join(dataDir, 'codesearch');
  const codeIndex = openCodeIndex({ root, log: silentLog });
  codeSearch = openCodeSearch({ root, log: silentLog, threads: 1 });
  sources = openGitSourceReader({
    mirrorDir: (owner, id) => mirrorPath(dataDir, owner, id),
    indexedCommit: async (owner, id) => (await getRepository(database.queries, owner, id))?.indexedCommit,
  });
  const answers = openTestAnswers(database, publicOrigin, { codeSearch, sources });
  const identity = { queries: database.queries, clock: Date.now };
  const deps = { baseUrl: publicOrigin, version: '1.2.3', identity, answers };
  http = await openTestHttp(database, {
    codeSearch,
    sources,
    limits: noLimits,
    plugins: [{ name: 'mcp', plugin: mcpRoute({ deps, log: silentLog }) }],
  });
  const organization = await findOrganization(database.queries, 'acme');
  if (organization === undefined) throw new Error('there is no organization');
  scope = { organizationId: organization.id, orgSlug: 'acme' };
  work = { database, codeIndex, git: { dataDir, allowHosts: [] }, clock: Date.now };
  await add('app', files);
});
afterAll(async () => {
  await http?.server.close();
  await codeSearch?.close();
  await sources?.close();
  await database?.close();
});

async function add(name: string, content: Record<string, string>): Promise<RepositoryId> {
  const { folder } = createRepository(content);
  const adding = { ...work, ...work.git, allowLocal: true };
  const { id } = await addRepository(adding, scope, { source: folder, name });
  const context = {
    signal: new AbortController().signal,
    log: silentLog,
    attempt: 1,
    maxAttempts: 1,
    fence: undefined,
    assertHeld: async () => {},
  };
  const payload = { organizationId: scope.organizationId, repositoryId: id };
  await cloneRepository(work, payload, context);
  await indexRepository(work, payload, context);
  expect(await getRepository(database.queries, scope, id)).toMatchObject({ state: 'indexed' });
  return id;
}

async function searchByRest(query: string) {
  const answer = await http.call({ url: `/acme/api/v1/search?${query}` });
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
}

/** The JSON-RPC answer; `body` may be what no JSON library writes. */
async function callMcp(body: string | Buffer) {
  const answer = await http.call({
    method: 'POST',
    url: '/mcp?orgSlug=acme',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: body,
  });
  const text = answer.body.slice(Math.max(0, answer.body.indexOf('{')));
  return { status: answer.statusCode, body: JSON.parse(text) as Record<string, unknown> };
}

function searchByMcp(query: unknown) {
  const params = { name: 'search_code', arguments: { query } };
  return callMcp(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
}

interface Hit {
  readonly path: string;
}

const pathsOf = (items: unknown): string[] => (items as Hit[]).map(({ path }) => path).toSorted();

describe('a query that cannot be searched', () => {
  it.each<[string, number, RegExp]>([
    ['', 1, /no search term; write a word/],
    ['   ', 1, /no search term/],
    ['wombat (x', 8, /`\(` is never closed; close it/],
    ['wombat) x', 7, /`\)` closes nothing/],
    ['((wombat)', 1, /`\(` is never closed/],
    ['()', 1, /parentheses are empty/],
    ['x flie:a', 3, /did you mean `file:`\?/],
    ['x symbl:a', 3, /did you mean `symbol:`\?/],
    ['x extension:ts', 3, /there is no filter `extension:`; write `file:/],
    ['lang:typscript x', 1, /did you mean TypeScript\?/],
    ['a\0b', 2, /NUL byte/],
    ['"wombat', 1, /quote is never closed/],
    ['x /(?=a)/', 3, /lookaround, which is not supported/],
    ['x /a(/', 3, /not a valid regular expression/],
    ['x /(a)\\1/', 3, /backreference/],
    ['x /\\p{Klingon}/', 3, /not a valid regular expression/],
    [`${'a '.repeat(20)}a`, 41, /at most 20 terms/],
    ['é'.repeat(513), 1, /longer than 1024 bytes/],
  ])(
    'is refused by its column with what to do instead, over REST and MCP alike: %j',
    async (query, column, words) => {
      const rest = await searchByRest(`q=${encodeURIComponent(query)}`);
      const mcp = await searchByMcp(query);
      expect(rest).toMatchObject({
        status: 400,
        body: {
          code: 'validation_failed',
          errors: [
            { path: 'q', message: expect.stringMatching(new RegExp(`^column ${column}: `)) as string },
          ],
        },
      });
      const [fault] = rest.body['errors'] as { message: string }[];
      expect(fault?.message).toMatch(words);
      expect(mcp.status).toBe(200);
      expect(mcp.body).toMatchObject({ result: { isError: true } });
      expect(JSON.stringify(mcp.body)).toContain(`column ${column}: `);
    },
  );

  it('is refused where it is missing, given twice or no text', async () => {
    for (const query of ['', 'q=a&q=b', 'q[x]=a']) {
      expect(await searchByRest(query)).toMatchObject({
        status: 400,
        body: { errors: [{ path: expect.stringMatching(/q/) as string }] },
      });
    }
    for (const query of [undefined, null, 7, ['a']]) {
      const { body } = await searchByMcp(query);
      expect(body).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringMatching(/query/) as string }] },
      });
    }
  });

  it('is refused where its bytes are no UTF-8, and not searched for as other characters', async () => {
    expect(await searchByRest('q=wombat%20%FFx')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'q', message: expect.stringMatching(/^column 8: .*UTF-8/) as string }] },
    });
    expect(await searchByRest('q=100%')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'q', message: expect.stringContaining('%25') as string }] },
    });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    const whole = JSON.stringify({
      ...call,
      params: { name: 'search_code', arguments: { query: 'wombat?' } },
    });
    const broken = Buffer.from(whole);
    broken[whole.indexOf('?')] = 0xff;
    expect(await callMcp(broken)).toMatchObject({
      status: 400,
      body: { error: { code: -32_700, message: expect.stringContaining('UTF-8') as string } },
    });
    const surrogate = await callMcp(whole.replace('?', '\\ud800'));
    expect(surrogate.body).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(surrogate.body)).toContain('column 7: half of a character');
  });
});

describe('a query of one character or two', () => {
  it.each<[string, string[]]>([
    ['x', ['src/a.ts', 'src/b.go']],
    ['{}', ['src/a.ts', 'src/b.go']],
    ['ü', ['docs/c.md']],
    ['ï', ['docs/c.md']],
    ['/X/', []],
    ['X case:no', ['src/a.ts', 'src/b.go']],
    ['"("', ['src/a.ts', 'src/b.go']],
    ['1', ['src/a.ts']],
    ['~', []],
  ])('finds every file that holds it, over REST and MCP alike: %s', async (query, expected) => {
    const rest = await searchByRest(`q=${encodeURIComponent(query)}`);
    expect([rest.status, pathsOf(rest.body['items'])]).toEqual([200, expected.toSorted()]);
    const { result } = (await searchByMcp(query)).body as { result: { structuredContent: { items: Hit[] } } };
    expect(pathsOf(result.structuredContent.items)).toEqual(expected.toSorted());
  });
});

describe('a repository that is removed while it is searched', () => {
  it('answers whole or not at all, and never after it was removed', async () => {
    const id = await add(
      'doomed',
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}.ts`, `doomed ${n}\n`])),
    );
    expect((await searchByRest('q=doomed+case:yes+type:content')).body['items']).toHaveLength(40);
    const searching = Array.from({ length: 30 }, async (_, n) => {
      for (let turn = 0; turn < n % 6; turn++) await new Promise(setImmediate);
      return searchByRest('q=doomed+case:yes+type:content');
    });
    const payload = { organizationId: scope.organizationId, repositoryId: id };
    await removeRepository(work, scope, id);
    const after = await searchByRest('q=doomed+case:yes+type:content');
    await eraseRepository(work, payload);
    for (const { status, body } of await Promise.all(searching)) {
      expect([200, 503]).toContain(status);
      if (status === 200) expect([0, 40]).toContain((body['items'] as unknown[]).length);
    }
    expect(after).toMatchObject({ status: 200, body: { items: [] } });
    expect(await searchByRest('q=doomed+case:yes+type:content')).toMatchObject({
      status: 200,
      body: { items: [] },
    });
    expect((await http.call({ url: `/acme/api/v1/repositories/${id}/file?path=f1.ts` })).statusCode).toBe(
      404,
    );
    expect((await searchByRest('q=wombat')).body['items']).toHaveLength(2);
  });
});
