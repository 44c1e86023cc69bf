import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CodeIndex, CodeSearch, NamedRepository, Query } from '../../../src/backends/codesearch/port.ts';
import { openZoektCodeIndex } from '../../../src/backends/codesearch/zoekt/open-zoekt-code-index.ts';
import { openZoektCodeSearch } from '../../../src/backends/codesearch/zoekt/open-zoekt-code-search.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { indexRequest, namedRepository } from '../../support/codesearch/index-request.ts';
import { scanningCodeSearch } from '../../support/codesearch/scanned-code.ts';
import { findZoekt, startZoekt } from '../../support/codesearch/zoekt.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, literal, ours, patient, regex, theirs } from './query.ts';

const files = {
  'src/parse.ts':
    'export function parseQuery(text: string) {\n  return text.split("\\n").map((line) => line.trim());\n}\n',
  'src/print.go': 'package print\n\nfunc Print(q Query) string {\n\treturn "(" + q.Text + ")"\n}\n',
  'docs/Query Language.md':
    '# Query language\n\n`repo:` and `file:` narrow a "search" (or widen it with `or`).\n',
  'lib/-dash.py': 'def parse_query(text):\n    # case:yes lang:go sym:x branch:HEAD\n    return text\\\n',
  Makefile: 'all:\n\tgo build ./...\n\n\n',
  'quotes.txt': '"quoted" \\"escaped\\" \\\\ \'single\' `tick`\n) or ( -not\n',
  'unicode.txt': 'Grüße aus Köln, 日本語 👍\nnaïve café\n',
  'LONG.css': `${'a{color:red}'.repeat(40)}\n.b { color: blue }\n`,
};
const more = {
  'src/parse.ts': 'import { parseQuery } from "lib";\nparseQuery("repo:x");\n',
  'Dockerfile.dev': 'FROM node:24\nRUN go version\n',
};

const main = namedRepository('repo-main', 'acme/main');
const side = namedRepository('repo-side', 'acme/side-show');
const hidden = namedRepository('repo-hidden', 'rival/hidden');
const both: readonly NamedRepository[] = [main, side];

const { folder } = await findZoekt();

describe.skipIf(folder === undefined)('with a real Zoekt', () => {
  const http = createHttpClient({ allowHosts: [] });
  const started = new AsyncDisposableStack();
  started.defer(() => http.close());
  let index: CodeIndex;
  let search: CodeSearch;
  let model: CodeSearch;

  beforeAll(async () => {
    const zoekt = started.use(await startZoekt(folder ?? '', join(temporaryFolder(), 'index')));
    index = openZoektCodeIndex({ ...zoekt, http, log: silentLog });
    search = openZoektCodeSearch({ url: zoekt.url, http });
    const add = async (scope: typeof ours, { id }: NamedRepository, content: Record<string, string>) => {
      const { folder: at, git } = createRepository(content);
      const to = git('rev-parse', 'HEAD');
      await index.apply(indexRequest({ scope, repository: id, gitDir: `${at}/.git`, to }), patient);
      return [id, { scope, commit: to, files: content }] as const;
    };
    model = scanningCodeSearch(
      new Map([await add(ours, main, files), await add(ours, side, more), await add(theirs, hidden, files)]),
    );
  });
  afterAll(() => started.disposeAsync());

  const found = async (by: CodeSearch, query: Query): Promise<string[]> => {
    const answer = await by.search(ours, ask(query, { repositories: both }), patient);
    return answer.files.map((file) => `${file.repository}:${file.path}`).toSorted();
  };

  const texts = Object.values({ ...files, ...more });
  const piece = fc
    .tuple(fc.constantFrom(...texts), fc.nat(), fc.integer({ min: 1, max: 12 }))
    .map(([text, at, length]) => {
      const characters = Array.from(text);
      return characters.slice(at % characters.length, (at % characters.length) + length).join('');
    })
    .filter((text) => text.length > 0 && !/[\n\0]/.test(text));
  const text = fc.oneof(
    { weight: 4, arbitrary: piece },
    {
      weight: 1,
      arbitrary: fc.constantFrom('"', '\\', ')', '(', ' or ', '-', 'repo:x', '" or "', '\\"', '\t', ' '),
    },
  );
  const caseSensitive = fc.boolean();
  const field = fc.constantFrom('content', 'path', 'any' as const);
  // Only patterns that always match within one line: the model scans whole texts.
  const pattern = fc.constantFrom(
    'parse.?query',
    '^func ',
    '\\)$',
    '[A-Z(]{2}',
    'q(uery|uoted)',
    '\\bquery\\b',
    'te?xt[.:]',
    '(a|b)\\{',
    '\\\\',
    '"\\w*"',
    '\\.(ts|go)$',
    '[ :\\d]node',
    'r.*\\)',
    'colou?r',
  );
  const leaf: fc.Arbitrary<Query> = fc.oneof(
    fc.record({ kind: fc.constant('literal' as const), text, caseSensitive, field }),
    fc.record({ kind: fc.constant('regex' as const), source: pattern, caseSensitive, field }),
    fc.record({
      kind: fc.constant('language' as const),
      name: fc.constantFrom('Go', 'TypeScript', 'Markdown', 'Dockerfile', 'Makefile', 'Text', 'Nothing'),
    }),
  );
  const query = fc.letrec<{ query: Query }>((tie) => ({
    query: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      leaf,
      fc.record({ kind: fc.constant('not' as const), operand: tie('query') }),
      fc.record({
        kind: fc.constantFrom('and', 'or' as const),
        operands: fc.array(tie('query'), { minLength: 1, maxLength: 3 }),
      }),
    ),
  })).query;

  it('finds the same files for any query as a scan of every file', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (givenQuery) => {
        expect(await found(search, givenQuery)).toEqual(await found(model, givenQuery));
      }),
      { numRuns: 200 },
    );
  });

  it('treats hostile text as text: it cannot end a quote or add a filter', async () => {
    for (const hostile of [
      '") or r:"',
      '" or "',
      ') or ( r:rival',
      '\\',
      '\\"',
      'case:no',
      'r:^org-theirs',
      '"',
      "'; --",
      '\u{1}\u{7f}',
      '\r',
      'x'.repeat(5000),
    ]) {
      for (const givenQuery of [
        literal(hostile, 'any'),
        { ...literal(hostile, 'any'), caseSensitive: false } as Query,
      ]) {
        expect(await found(search, givenQuery), JSON.stringify(hostile)).toEqual(
          await found(model, givenQuery),
        );
      }
    }
    await expect(found(search, literal('a\0b'))).rejects.toThrow(/newline or NUL/);
    await expect(found(search, literal('a\nb'))).rejects.toThrow(/newline or NUL/);
  });

  it('finds repositories by their display names', async () => {
    const givenQuery: Query = {
      kind: 'and',
      operands: [literal('parseQuery'), { kind: 'repository', text: 'SIDE' }],
    };
    expect(await found(search, givenQuery)).toEqual([`${side.id}:src/parse.ts`]);
    const but: Query = {
      kind: 'and',
      operands: [literal('parseQuery'), { kind: 'not', operand: { kind: 'repository', text: 'side' } }],
    };
    expect(await found(search, but)).toEqual([`${main.id}:src/parse.ts`]);
    expect(await found(search, { kind: 'repository', text: 'hidden' })).toEqual([]);
  });

  it('answers only from its own organization, even for the number of a repository of another', async () => {
    const wrong = { ...main, number: hidden.number };
    const answer = await search.search(ours, ask(literal('parseQuery'), { repositories: [wrong] }), patient);
    expect(answer.files).toEqual([]);
    const named = { ...hidden, number: main.number };
    const foreign = await search.search(ours, ask(literal('parseQuery'), { repositories: [named] }), patient);
    expect(foreign.files).toEqual([]);
    const rank = {
      terms: ['parse'],
      identifiers: ['parseQuery'],
      paths: [],
      question: '',
      limit: 10,
      waitMs: 30_000,
    };
    for (const repositories of [[wrong], [named]]) {
      expect((await search.rank(ours, { ...rank, repositories }, patient)).files).toEqual([]);
    }
    const all = await search.search(ours, ask(literal('parseQuery')), patient);
    expect(new Set(all.files.map(({ repository }) => repository))).toEqual(new Set([main.id, side.id]));
  });

  it('matches Unicode classes and shows nothing of a newline', async () => {
    expect(await found(search, regex('Gr\\w+e aus K\\wln'))).toEqual([`${main.id}:unicode.txt`]);
    expect(await found(search, regex('\\w{3} 👍'))).toEqual([`${main.id}:unicode.txt`]);
    expect(await found(search, regex('👍\\s+naïve'))).toEqual([]);
    expect(await found(search, regex('👍[^x]*naïve'))).toEqual([]);
  });

  it('misses what docs/code-search-at-scale.md documents as missed, and nothing else', async () => {
    const odd = namedRepository('repo-odd', 'acme/odd');
    const marker = 'NOT-INDEXED: contains binary content';
    const { folder: at, git } = createRepository({
      'marked.cs': '\ufeffusing System;\n',
      'plain.cs': 'using System;\n',
      'letters.txt': '\u017ftop at 300 \u212a\n',
      'ascii.txt': 'STOP at 300 k\n',
      'marker.txt': marker,
      'marker-line.txt': `${marker}\n`,
      'quoted.txt': `it says "${marker}"\n`,
    });
    const to = git('rev-parse', 'HEAD');
    await index.apply(indexRequest({ scope: ours, repository: odd.id, gitDir: `${at}/.git`, to }), patient);
    const paths = async (givenQuery: Query): Promise<string[]> => {
      const { files: answer } = await search.search(ours, ask(givenQuery, { repositories: [odd] }), patient);
      return answer.map(({ path }) => path).toSorted();
    };
    const anyCase = (word: string): Query => ({ ...literal(word), caseSensitive: false }) as Query;
    expect(await paths(regex('^using'))).toEqual(['plain.cs']);
    expect(await paths(regex('using System'))).toEqual(['marked.cs', 'plain.cs']);
    expect(await paths(anyCase('stop'))).toEqual(['ascii.txt']);
    expect(await paths(anyCase('k'))).toEqual(['ascii.txt']);
    expect(await paths(anyCase('300 k'))).toEqual(['ascii.txt', 'letters.txt']);
    expect(await paths(anyCase('TOP AT 300'))).toEqual(['ascii.txt', 'letters.txt']);
    expect(await paths(literal('contains binary'))).toEqual(['marker-line.txt', 'quoted.txt']);
    expect(await paths(literal('marker', 'path'))).toEqual(['marker-line.txt']);
  });
});
