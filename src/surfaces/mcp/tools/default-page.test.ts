import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedOrganization, seedRepository } from '../../../../test/support/codesearch/seeded-repositories.ts';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { openTestGraph } from '../../../../test/support/graph/opened-graph.ts';
import { openTestAnswers } from '../../../../test/support/http/http-server.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { openGitSourceReader } from '../../../backends/codesearch/git/git-source-reader.ts';
import type { SearchRequest } from '../../../backends/codesearch/port.ts';
import { readFile } from './read-file.ts';
import { referenceText } from './reference-text.ts';
import { searchCode } from './search-code.ts';
import { showCommit } from './show-commit.ts';
import { type CallContext, maxText, type Tool } from './tool.ts';

/** Lines that count more than their characters: in JSON, or in bytes. */
const kinds = {
  quotes: '"a","","","b"',
  tabs: '\t\t\t\t\t\t}',
  hanzi: '连接池的超时设置决定了客户端等待响应的时间',
};
type Kind = keyof typeof kinds;
const names = Object.keys(kinds) as Kind[];

const manyLines = (line: string, count = 2_000) => `${line}\n`.repeat(count);
const source = createRepository(
  Object.fromEntries(names.map((kind) => [`${kind}.txt`, manyLines(kinds[kind])])),
);
const commits = Object.fromEntries(
  names.map((kind) => [kind, source.commit({ [`${kind}-2.txt`]: manyLines(kinds[kind]) }, `Add ${kind}`)]),
);
const head = source.commit({ 'end.txt': '' }, 'Add the end');

let database: TestDatabase;
let context: CallContext;
const opened = new AsyncDisposableStack();

/** Each file has ten lines of the kind that the query names. */
function foundFiles({ limit, offset = 0, matchesPerFile, repositories }: SearchRequest, kind: Kind) {
  const text = kinds[kind].repeat(8);
  const match = { column: 1, length: 1, text, textOffset: 0, before: [], after: [] };
  const lines = Array.from({ length: 10 }, (_, index) => ({ ...match, line: index + 1 }));
  return Array.from({ length: Math.min(limit, 90 - offset) }, (_, index) => ({
    repository: repositories![0]!.id,
    commit: head,
    path: `src/file-${offset + index}.txt`,
    language: 'Text',
    score: 1,
    branch: 'main',
    reasons: [],
    matches: lines.slice(0, matchesPerFile),
    moreMatches: 0,
  }));
}

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  opened.defer(() => database.close());
  const scope = await seedOrganization(database, 'ours');
  await seedRepository(database, scope, { name: 'shop', indexedCommit: head });
  const sources = openGitSourceReader({
    mirrorDir: () => join(source.folder, '.git'),
    indexedCommit: async () => head,
  });
  opened.defer(() => sources.close());
  const knowledge = await openTestGraph(database, sources);
  opened.defer(() => knowledge.close());
  const answers = openTestAnswers(database, 'https://ctx.example', {
    sources,
    codeSearch: {
      search: async (_scope, request) => ({
        files: foundFiles(request, names.find((kind) => JSON.stringify(request.query).includes(kind))!),
        stats: { candidates: 90, scanned: 90, matched: 90, milliseconds: 1 },
      }),
    },
  });
  context = {
    deps: { answers, knowledge },
    access: { scope },
    log: silentLog,
    signal: new AbortController().signal,
    progress: () => undefined,
  } as unknown as CallContext;
});
afterAll(() => opened.disposeAsync());

/** Fails if an agent would cut a result: Cline its JSON at 8,000 characters, Codex its bytes at 12,000. */
function expectWhole(text: string): void {
  expect(text.length).toBeLessThanOrEqual(maxText.page);
  expect(JSON.stringify({ content: [{ type: 'text', text }] }).length).toBeLessThanOrEqual(8_000);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(11_600);
}

async function call(tool: Tool, args: object): Promise<string> {
  const [part] = (await tool.call(args, context)).content;
  return part?.type === 'text' ? part.text : '';
}

describe.each(names)('a page of default size with %s', (kind) => {
  it.each<[string, Tool, object]>([
    ['one file', readFile, { places: [`shop/${kind}.txt`] }],
    ['several files', readFile, { places: [`shop/${kind}.txt`, `shop/${kind}-2.txt`, 'shop/tabs.txt'] }],
    ['a commit', showCommit, { address: `shop@${commits[kind]}` }],
    ['a search', searchCode, { query: kind }],
    ['several searches', searchCode, { queries: [kind, `${kind} ${kind}`, 'quotes'] }],
  ])('reaches every agent whole: %s', async (_, tool, args) => {
    const text = await call(tool, args);
    expectWhole(text);
    expect(Buffer.byteLength(text)).toBeGreaterThan(3_000);
  });

  it('reaches every agent whole: references', () => {
    const line = kinds[kind].repeat(9);
    const item = { address: 'shop/a.txt:1', line, kind: 'text', test: false, certainty: 'text' } as const;
    const items = Array.from({ length: 50 }, () => item);
    const counts = { total: 50, certain: 0, possible: 0, written: 0, text: 50, elsewhere: 0, others: 0 };
    const page = { name: 'a', ...counts, definitions: [], items, notices: [], nextCursor: null };
    const cursorAfter = (count: number) => `${count}`;
    expectWhole(referenceText({ ...page, cursorAfter }, false));
  });
});

it('is larger for a range, or with more records than usual', async () => {
  for (const [tool, args] of [
    [readFile, { places: ['shop/quotes.txt:1-2000', 'shop/tabs.txt:1-2000'] }],
    [searchCode, { queries: ['quotes', 'tabs'], limit: 60 }],
  ] as const) {
    const text = await call(tool, args);
    expect(Buffer.byteLength(text)).toBeGreaterThan(2 * maxText.page);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxText.bytes);
  }
});
