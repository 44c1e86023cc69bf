import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchRequest } from '../../../src/backends/codesearch/port.ts';
import { findOrganization } from '../../../src/features/identity/people/organization-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { maxText } from '../../../src/surfaces/mcp/tools/tool.ts';
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

/** Number of matching lines of a file, more than one result holds. */
const deepLines = 400;

function deepFile({ skipMatches: skip = 0, matchesPerFile, repositories }: SearchRequest) {
  const match = {
    column: 1_000,
    length: 5,
    text: `${'x'.repeat(999)}zebra${'x'.repeat(995)}`,
    textOffset: 0,
    before: [],
    after: [],
  };
  const rest = Array.from({ length: deepLines - skip }, (_, index) => ({ ...match, line: skip + index + 1 }));
  return {
    repository: repositories![0]!.id,
    commit: 'c'.repeat(40),
    path: 'src/deep.ts',
    language: 'TypeScript',
    score: 1,
    branch: 'main',
    reasons: [],
    matches: rest.slice(0, matchesPerFile),
    moreMatches: Math.max(0, rest.length - matchesPerFile),
  };
}

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  const answers = openTestAnswers(database, publicOrigin, {
    codeSearch: {
      search: async (_scope, request) => ({
        files: [deepFile(request)],
        stats: { candidates: 1, scanned: 1, matched: 1, milliseconds: 1 },
      }),
    },
  });
  const identity = { queries: database.queries, clock: systemClock };
  const deps = { baseUrl: publicOrigin, version: '1.2.3', identity, answers, knowledge: emptyKnowledge };
  http = await openTestHttp(database, {
    plugins: [{ name: 'mcp', plugin: mcpRoute({ deps, log: silentLog }) }],
  });
  const { id } = (await findOrganization(database.queries, 'acme'))!;
  const scope = { organizationId: id, orgSlug: 'acme' };
  for (const name of ['flood', 'grove'])
    await seedRepository(database, scope, { name, indexedCommit: 'c'.repeat(40) });
});
afterAll(async () => {
  await http?.server.close();
  await database?.close();
});

async function textOf(name: string, args: object): Promise<string> {
  const answer = await http.call({
    method: 'POST',
    url: '/mcp?orgSlug=acme',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  });
  const { body } = answer;
  const json = body.startsWith('event:') ? body.slice(body.lastIndexOf('\ndata: ') + 7) : body;
  return JSON.parse(json).result.content[0].text;
}

describe('search_code', () => {
  it.each([
    [undefined, maxText.page],
    [1_000, maxText.bytes],
  ])('page through the lines of one file, %s at a time', async (matches, size) => {
    const lines: number[] = [];
    let cursor: string | undefined;
    do {
      const text = await textOf('search_code', { query: 'deep', matches, cursor });
      expect(text.length).toBeLessThanOrEqual(size);
      lines.push(...[...text.matchAll(/^flood\/src\/deep\.ts:(\d+): /gm)].map(([, line]) => Number(line)));
      cursor = /cursor=([^)]+)/.exec(text)?.[1];
    } while (cursor !== undefined && lines.length < deepLines);
    expect(lines).toEqual(Array.from({ length: deepLines }, (_, index) => index + 1));
  });

  it('answer several queries at once, each with its own cursor', async () => {
    const text = await textOf('search_code', { queries: ['x', 'deep', 'y'], limit: 200, matches: 500 });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxText.bytes);
    const parts = text.split(/^== /m).slice(1);
    expect(parts.map((part) => part.split('\n', 1)[0])).toEqual(['x', 'deep', 'y']);
    for (const part of parts) expect(part).toMatch(/\(more: call again with cursor=\S+\)/);
    expect(await textOf('search_code', { queries: ['x', 'y'], cursor: 'any' })).toMatch(
      /^Error: A cursor continues one query/,
    );
  });
});

it('tools of the graph say which repositories it lacks, also of an entity that is not found', async () => {
  const texts = () =>
    Promise.all([
      textOf('search_entities', { query: 'close' }),
      textOf('get_entity', { entity: 'ENG-404' }),
      textOf('find_related', { entity: 'ENG-404' }),
    ]);
  for (const text of await texts()) expect(text).toMatch(/\(Not in the graph yet: flood, grove; .*\)/);
  const read = database.queries.updateTable('repositories').set({ graph_commit: 'c'.repeat(40) });
  await read.where('name', '=', 'flood').execute();
  for (const text of await texts()) expect(text).toMatch(/\(Not in the graph yet: grove; /);
  await read.execute();
  for (const text of await texts()) expect(text).not.toContain('Not in the graph yet');
});

it('index_status names fewer pending repositories if their errors are long', async () => {
  const { id } = (await findOrganization(database.queries, 'acme'))!;
  const error = { code: 'unreachable', message: 'The host did not answer. '.repeat(12) };
  for (let n = 0; n < 40; n++)
    await seedRepository(database, { organizationId: id, orgSlug: 'acme' }, { name: `lost-${n}`, error });
  const text = await textOf('index_status', {});
  expect(text.length).toBeLessThanOrEqual(maxText.page);
  expect(text).toMatch(/\(\d+ more not searchable yet; see list_repositories\)$/);
});
