import { beforeAll, describe, expect, it } from 'vitest';
import { type ScannedCode, scanningCodeSearch } from '../../../test/support/codesearch/scanned-code.ts';
import { seedOrganization, seedRepository } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import type { CodeSearch } from '../../backends/codesearch/port.ts';
import type { Database } from '../../foundation/db/database.ts';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { type SearchCodeInput, searchCode } from './search-code.ts';
import { readCursor, writeCursor } from './search-cursor.ts';

const never = new AbortController().signal;

async function world(database: Database) {
  const ours = await seedOrganization(database, 'ours');
  const otherScope = await seedOrganization(database, 'other');
  const api = await seedRepository(database, ours, {
    name: 'api',
    indexedCommit: 'a1',
    indexedBranches: ['main', 'release/1'],
  });
  const web = await seedRepository(database, ours, {
    name: 'acme/web',
    indexedCommit: 'b2',
    indexedBranches: ['trunk', 'a1', 'a2', 'a3', 'a4'],
  });
  await seedRepository(database, ours, { name: 'pending' });
  const foreign = await seedRepository(database, otherScope, { name: 'secret', indexedCommit: 'c3' });
  const code: ScannedCode = new Map([
    [
      api,
      {
        scope: ours,
        commit: 'a1',
        files: { 'src/a.ts': 'const needle = 1;\n', 'b.go': 'needle\nneedle\nneedle' },
      },
    ],
    [web, { scope: ours, commit: 'b2', files: { 'web.ts': 'a needle here' } }],
    [foreign, { scope: otherScope, commit: 'c3', files: { 'x.ts': 'needle of another organization' } }],
  ]);
  const codeSearch = scanningCodeSearch(code);
  const search = (input: SearchCodeInput, engine: CodeSearch = codeSearch, scope: OrgScope = ours) =>
    searchCode({ codeSearch: engine, queries: database.queries }, scope, input, never);
  return { api, web, foreign, ours, codeSearch, search };
}

describeEachDatabase('searchCode', (open) => {
  let here: Awaited<ReturnType<typeof world>>;
  beforeAll(async () => {
    here = await world(await open());
  });

  it('returns the names of the repositories, only from this organization', async () => {
    const { search, api } = here;
    const page = await search({ q: 'needle' });
    expect(page.items.map(({ repository, path }) => `${repository}/${path}`)).toEqual([
      'api/src/a.ts',
      'api/b.go',
      'acme/web/web.ts',
    ]);
    expect(page.items[0]).toMatchObject({
      repositoryId: api,
      commit: 'a1',
      language: 'TypeScript',
      moreMatches: 0,
    });
    expect(page.items[0]?.matches).toEqual([
      { line: 1, column: 7, length: 6, text: 'const needle = 1;', textOffset: 0, before: [], after: [] },
    ]);
    expect(page.nextCursor).toBeNull();
  });

  it('drops results of an engine for a repository that was not requested', async () => {
    const { search, codeSearch, foreign } = here;
    const leaking: CodeSearch = {
      ...codeSearch,
      async search(scope, request, signal) {
        const result = await codeSearch.search(scope, request, signal);
        return { ...result, files: result.files.map((file) => ({ ...file, repository: foreign })) };
      },
    };
    expect((await search({ q: 'needle' }, leaking)).items).toEqual([]);
  });

  it('returns each file once over all pages', async () => {
    const { search } = here;
    const paths: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof search>> = await search({
        q: 'needle',
        limit: 2,
        ...(cursor ? { cursor } : {}),
      });
      paths.push(...page.items.map(({ path }) => path));
      cursor = page.nextCursor;
    }
    expect(paths).toEqual(['src/a.ts', 'b.go', 'web.ts']);
  });

  it('reports missing files on the last page that a cursor reaches', async () => {
    const { search, codeSearch } = here;
    const endless = (incomplete?: 'damaged'): CodeSearch => ({
      ...codeSearch,
      async search(scope, request, signal) {
        const result = await codeSearch.search(scope, request, signal);
        return { ...result, ...(incomplete && { incomplete }), nextOffset: 10_001 };
      },
    });
    expect(await search({ q: 'needle' }, endless())).toMatchObject({ nextCursor: null, incomplete: 'limit' });
    expect(await search({ q: 'needle' }, endless('damaged'))).toMatchObject({ incomplete: 'damaged' });
    expect(await search({ q: 'needle' })).not.toHaveProperty('incomplete');
  });

  it.each([
    ['needle branch:relaese/1', 8, 'trunk, a1, a2, a3, a4 and 2 more.'],
    ['-rev:gone needle', 2, 'trunk, a1'],
    ['(b:main or b:x?) needle', 12, 'trunk, a1'],
    ['repo:API branch:trunk', 10, 'main, release/1.'],
  ])('refuses a branch that no searched repository has indexed: %s', async (q, column, names) => {
    const { search } = here;
    const problem = await search({ q }).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(InvalidInput);
    expect((problem as InvalidInput).message).toContain(
      `column ${column}: none of the searched repositories has`,
    );
    expect((problem as InvalidInput).message).toContain(`indexed branches: ${names}`);
  });

  it.each(['needle b:HEAD', 'needle b:trunk', 'needle b:release/*', 'repo:pending b:gone', '"b:gone"'])(
    'asks for a branch that a repository in range has: %s',
    async (q) => {
      await expect(here.search({ q })).resolves.toHaveProperty('items');
    },
  );

  it.each([
    ['needle repo:aip', 8, 'no repository has a name with `aip`; did you mean `repo:api`?'],
    ['needle r:wbe', 8, 'did you mean `repo:acme/web`?'],
    ['-repo:nowhere needle', 2, 'repositories: acme/web, api, pending.'],
    [
      '(repo:api or repo:secret) needle',
      14,
      'no repository has a name with `secret`; repositories: acme/web',
    ],
  ])('refuses a repository that the organization does not have: %s', async (q, column, words) => {
    const problem = await here.search({ q }).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(InvalidInput);
    expect((problem as InvalidInput).message).toContain(`column ${column}: `);
    expect((problem as InvalidInput).message).toContain(words);
  });

  it.each(['repo:pending needle', 'repo:PEND needle', '"repo:nowhere"', 'repo:web needle'])(
    'accepts a part of the name of any repository, indexed or not: %s',
    async (q) => {
      await expect(here.search({ q })).resolves.toHaveProperty('items');
      await expect(here.search({ q, repositories: ['api'] })).resolves.toHaveProperty('items');
    },
  );

  it('refuses a cursor of another query', async () => {
    const { search } = here;
    const { nextCursor } = await search({ q: 'needle', limit: 1 });
    await expect(search({ q: 'other', cursor: nextCursor ?? '' })).rejects.toThrow(
      /another query or is damaged/u,
    );
    for (const lines of ['x', '-1', '', '9'.repeat(10)])
      await expect(search({ q: 'needle', limit: 1, cursor: `${nextCursor}.${lines}` })).rejects.toThrow(
        /another query or is damaged/u,
      );
  });

  it('refuses a cursor with a position that has no result', async () => {
    const { search } = here;
    const { nextCursor } = await search({ q: 'needle', limit: 1 });
    const [, mark = ''] = Buffer.from(nextCursor ?? '', 'base64url')
      .toString()
      .split('.');
    for (const cursor of [
      `${writeCursor(1, mark)}.3`,
      `${writeCursor(0, mark)}.999999999`,
      writeCursor(9_999, mark),
    ])
      await expect(search({ q: 'needle', limit: 1, cursor: cursor ?? '' })).rejects.toMatchObject({
        status: 400,
        errors: [{ path: '/cursor', message: expect.stringContaining('start again') as string }],
      });
  });

  it('refuses a cursor of a caller that may read other repositories', async () => {
    const { search, ours, api, web } = here;
    const { nextCursor } = await search({ q: 'needle', limit: 1 });
    const of = (...repositories: (typeof api)[]) => ({ ...ours, repositories: new Set(repositories) });
    const limited = { q: 'needle', limit: 1, cursor: nextCursor ?? '' };
    await expect(search(limited, undefined, of(api, web))).rejects.toThrow(/another query or is damaged/u);
    const first = await search({ q: 'needle', limit: 1 }, undefined, of(api, web));
    const next = { ...limited, cursor: first.nextCursor ?? '' };
    expect((await search(next, undefined, of(web, api))).items).toMatchObject([{ path: 'b.go' }]);
    await expect(search(next, undefined, of(api))).rejects.toThrow(/another query or is damaged/u);
  });

  it('searches only the named repositories and refuses one that does not exist', async () => {
    const { search } = here;
    const page = await search({ q: 'needle', repositories: ['acme/web'] });
    expect(page.items.map(({ repository }) => repository)).toEqual(['acme/web']);
    await expect(search({ q: 'needle', repositories: ['web'] })).rejects.toThrow(/did you mean `acme\/web`/u);
    await expect(search({ q: 'needle', repositories: ['secret'] })).rejects.toThrow(
      /no searchable repository `secret`; list/u,
    );
  });

  it.each([
    ['needle repo:API', ['api']],
    ['needle -repo:api', ['acme/web']],
    ['(repo:api or repo:pending) needle', ['api']],
    ['needle (repo:api or f:web)', ['api', 'acme/web']],
    ['needle -(repo:api f:web)', ['api', 'acme/web']],
    ['-(needle or repo:api)', ['acme/web']],
    ['needle repo:pending', []],
  ])('asks the engine only for the repositories that can match: %s', async (q, names) => {
    const { search, codeSearch } = here;
    const asked: string[] = [];
    const watched: CodeSearch = {
      ...codeSearch,
      search: (scope, request, signal) => {
        asked.push(...(request.repositories ?? []).map(({ name }) => name));
        return codeSearch.search(scope, request, signal);
      },
    };
    expect((await search({ q }, watched)).items).toEqual((await search({ q })).items);
    expect(asked.toSorted()).toEqual(names.toSorted());
  });

  it('counts the omitted matches', async () => {
    const { search } = here;
    const page = await search({ q: 'needle lang:go', matches: 2 });
    expect(page.items).toHaveLength(1);
    const literal = await search({ q: 'needle', matches: 2 });
    expect(literal.items[1]).toMatchObject({ path: 'b.go', moreMatches: 1 });
  });

  it.each([
    ['of the only file that matches', { q: '/^needle/', matches: 1 }, ['b.go:1', 'b.go:2', 'b.go:3']],
    [
      'of each file, one a page',
      { q: 'needle', matches: 2, limit: 1 },
      ['src/a.ts:1', 'b.go:1', 'b.go:2', 'b.go:3', 'web.ts:1'],
    ],
  ])('continues after the lines %s', async (_what, input, expected) => {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await here.search({ ...input, ...(cursor === null ? {} : { cursor }) });
      for (const { path, matches } of page.items) found.push(...matches.map(({ line }) => `${path}:${line}`));
      cursor = page.nextCursor;
    } while (cursor !== null && found.length < 20);
    expect(found).toEqual(expected);
  });

  it('returns nothing, without a request to the engine, if nothing is indexed', async () => {
    const database = await open();
    const scope = await seedOrganization(database, 'empty');
    await seedRepository(database, scope, { name: 'new', state: 'cloning' });
    const engine = { ...scanningCodeSearch(new Map()), search: () => Promise.reject(new Error('requested')) };
    const page = await searchCode(
      { codeSearch: engine, queries: database.queries },
      scope,
      { q: 'x' },
      never,
    );
    expect(page).toMatchObject({ items: [], nextCursor: null });
  });

  it.each<[keyof SearchCodeInput, number]>([
    ['limit', 0],
    ['limit', 201],
    ['limit', 1.5],
    ['context', -1],
    ['context', 11],
    ['matches', 0],
    ['matches', 1001],
    ['limit', Number.NaN],
  ])('refuses %s = %s by name', async (name, value) => {
    const { search } = here;
    const problem = await search({ q: 'x', [name]: value }).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(InvalidInput);
    expect(problem).toMatchObject({ errors: [{ path: `/${name}` }] });
  });
});

describe('a cursor', () => {
  it('returns its offset only for its own query', () => {
    const cursor = writeCursor(50, '0123456789abcdef') ?? '';
    expect(readCursor(cursor, '0123456789abcdef')).toBe(50);
    expect(() => readCursor(cursor, 'fedcba9876543210')).toThrow(InvalidInput);
  });

  it.each(['', 'x', '!!!!', 'NTA', 'LTUuMDEyMzQ1Njc4OWFiY2RlZg', 'A'.repeat(100_000)])(
    'is refused when damaged: %.20s',
    (cursor) => {
      expect(() => readCursor(cursor, '0123456789abcdef')).toThrow(InvalidInput);
    },
  );

  it('is not created beyond the maximum offset', () => {
    expect(writeCursor(10_001, '0123456789abcdef')).toBeNull();
  });
});
