import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { applyAndDefine, indexRequest } from '../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../test/support/codesearch/open-test-index.ts';
import { seedOrganization, seedRepository } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openCodeSearch } from '../../backends/codesearch/embedded/open-embedded-code-search.ts';
import type { CodeSearch, Query } from '../../backends/codesearch/port.ts';
import { hasPattern } from '../../backends/codesearch/query-leaves.ts';
import type { Database } from '../../foundation/db/database.ts';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { type FindSymbolInput, type FoundSymbols, findSymbol } from './find-symbol.ts';

const never = new AbortController().signal;
const many = Array.from({ length: 30 }, (_, index) => `export function handlePart${index}() {}\n`).join('');
const crowded = Array.from({ length: 60 }, (_, index) => `export function crowded${index}() {}\n`).join('');
const sources = {
  api: {
    'src/lease.ts': 'export class Lease {\n  renew() {}\n}\nexport function leaseOf(key: string) {}\n',
    'src/table.go': 'package table\n\ntype Lease struct {\n}\n\nfunc NewLease() {}\n',
    'test/lease.test.ts': 'class Lease {}\n',
    'use.ts': 'new Lease();\n',
  },
  'acme/web': { 'parts.ts': many, 'crowded.ts': crowded, 'lease.py': 'class lease:\n    pass\n' },
};

async function world(database: Database) {
  const root = temporaryFolder();
  const index = openTestIndex({ root, log: silentLog });
  const ours = await seedOrganization(database, 'ours');
  const otherScope = await seedOrganization(database, 'other');
  const add = async (scope: OrgScope, name: string, files: Record<string, string>): Promise<void> => {
    const repository = createRepository(files);
    const to = repository.git('rev-parse', 'HEAD');
    const id = await seedRepository(database, scope, { name, indexedCommit: to });
    await applyAndDefine(
      index,
      indexRequest({ scope, repository: id, gitDir: `${repository.folder}/.git`, to }),
    );
  };
  for (const [name, files] of Object.entries(sources)) await add(ours, name, files);
  await add(otherScope, 'secret', { 'a.ts': 'export class Lease {}\n' });
  const codeSearch = openCodeSearch({ root, log: silentLog, threads: 1 });
  // The first search starts a thread, which on a busy machine may take longer than the time-out of a search.
  const warmUp = {
    query: { kind: 'language', name: 'Go' },
    limit: 1,
    matchesPerFile: 1,
    contextLines: 0,
  } as const;
  await codeSearch.search(ours, { ...warmUp, deadlineMs: 60_000 }, never);
  const find = (input: FindSymbolInput, engine: CodeSearch = codeSearch): Promise<FoundSymbols> =>
    findSymbol({ codeSearch: engine, queries: database.queries }, ours, input, never);
  return { find, codeSearch };
}

function placesOf({ items }: FoundSymbols): string[] {
  return items.map(
    ({ repository, path, line, kind, name }) => `${repository}/${path}:${line} ${kind} ${name}`,
  );
}

describeEachDatabase('findSymbol', (open) => {
  let here: Awaited<ReturnType<typeof world>>;
  beforeAll(async () => {
    here = await world(await open());
  });

  it('asks with a pattern that counts as its own, also behind a slow pattern of a caller', async () => {
    const asked: Query[] = [];
    const watched: CodeSearch = {
      ...here.codeSearch,
      search: (scope, request, signal) => {
        asked.push(request.query);
        return here.codeSearch.search(scope, request, signal);
      },
    };
    await here.find({ name: 'Lease' }, watched);
    expect(asked.map(hasPattern)).not.toContain(true);
  });
  afterAll(() => here.codeSearch.close());

  it('returns exact names, then on the next page names that contain it, only from this organization', async () => {
    const found = await here.find({ name: 'Lease' });
    expect(placesOf(found)).toEqual([
      'api/src/lease.ts:1 class Lease',
      'api/src/table.go:3 struct Lease',
      'api/test/lease.test.ts:1 class Lease',
    ]);
    expect(found.items[0]).toMatchObject({ text: 'export class Lease {', language: 'TypeScript' });
    expect(found.items[0]?.commit).toMatch(/^[0-9a-f]{40}$/);
    const longer = await here.find({ name: 'Lease', cursor: found.nextCursor ?? '' });
    expect(placesOf(longer)).toEqual(['api/src/table.go:6 function NewLease']);
    expect([longer.nextCursor, found.incomplete]).toEqual([null, undefined]);
  });

  it('ignores case if the name has no upper-case letter', async () => {
    const exact = await here.find({ name: 'lease' });
    const longer = await here.find({ name: 'lease', cursor: exact.nextCursor ?? '' });
    const found = [...placesOf(exact), ...placesOf(longer)];
    expect(found.slice(0, 4)).toContain('acme/web/lease.py:1 class lease');
    expect(found.slice(0, 4)).toContain('api/src/lease.ts:1 class Lease');
    expect(found).toContain('api/src/lease.ts:4 function leaseOf');
    expect(new Set(found).size).toBe(found.length);
  });

  it('uses the last part of a qualified name', async () => {
    for (const name of ['Lease.renew', 'lease::renew', '#renew', 'renew()', ' renew ']) {
      expect(placesOf(await here.find({ name })), name).toEqual(['api/src/lease.ts:2 method renew']);
    }
  });

  it('narrows to a kind and to repositories', async () => {
    expect(placesOf(await here.find({ name: 'Lease', kind: 'struct' }))).toEqual([
      'api/src/table.go:3 struct Lease',
    ]);
    expect(placesOf(await here.find({ name: 'Lease', repositories: ['acme/web'] }))).toEqual([]);
    await expect(here.find({ name: 'Lease', repositories: ['acme/wep'] })).rejects.toThrow(/acme\/web/);
  });

  it('returns each definition once over all pages', async () => {
    const allPages = async (limit: number): Promise<string[]> => {
      const paged: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page: FoundSymbols = await here.find({ name: 'lease', limit, ...(cursor && { cursor }) });
        paged.push(...placesOf(page));
        cursor = page.nextCursor;
      }
      return paged;
    };
    expect((await allPages(2)).toSorted()).toEqual((await allPages(100)).toSorted());
    const mixed = (await here.find({ name: 'lease', limit: 1 })).nextCursor ?? '';
    await expect(here.find({ name: 'other', cursor: mixed })).rejects.toThrow(InvalidInput);
  });

  it('keeps the definitions of one file together', async () => {
    expect((await here.find({ name: 'handlePart', limit: 5 })).items).toHaveLength(30);
  });

  it('drops results of an engine for a repository that was not requested', async () => {
    const leaking: CodeSearch = {
      ...here.codeSearch,
      async search(scope, request, signal) {
        const result = await here.codeSearch.search(scope, request, signal);
        return { ...result, files: result.files.map((file) => ({ ...file, repository: 'repo-x' as never })) };
      },
    };
    expect((await here.find({ name: 'Lease' }, leaking)).items).toEqual([]);
  });

  it('reports an index that is being rebuilt', async () => {
    const damaged: CodeSearch = {
      ...here.codeSearch,
      search: async (scope, request, signal) => ({
        ...(await here.codeSearch.search(scope, request, signal)),
        incomplete: 'damaged',
      }),
    };
    expect((await here.find({ name: 'Lease' }, damaged)).incomplete).toBe('damaged');
  });

  it('reports a time-out before all searches have run', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const [stats, searched] = [{ candidates: 0, scanned: 0, matched: 0, milliseconds: 0 }, vi.fn()];
    const slow = (incomplete: 'damaged' | undefined): CodeSearch => ({
      ...here.codeSearch,
      search: async () => {
        searched();
        vi.advanceTimersByTime(2000);
        return { files: [], stats, ...(incomplete && { incomplete }) };
      },
    });
    try {
      const found = await here.find({ name: 'Lease' }, slow('damaged'));
      expect(found.incomplete).toBe('damaged');
      expect(found.nextCursor).not.toBeNull();
      expect((await here.find({ name: 'Lease' }, slow(undefined))).incomplete).toBe('deadline');
      expect(searched).toHaveBeenCalledTimes(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('reports that definitions were left out and no cursor reaches them', async () => {
    const tooMany = await here.find({ name: 'crowded' });
    expect(tooMany.items).toHaveLength(50);
    expect(tooMany).toMatchObject({ incomplete: 'limit', nextCursor: null });
    const paging = (nextOffset: number | undefined): CodeSearch => ({
      ...here.codeSearch,
      search: async (_scope, { offset = 0 }) => ({
        files: [],
        stats: { candidates: 0, scanned: 0, matched: 0, milliseconds: 0 },
        incomplete: 'limit',
        ...(nextOffset !== undefined && offset < nextOffset ? { nextOffset } : {}),
      }),
    });
    expect(await here.find({ name: 'a' }, paging(undefined))).toMatchObject({ incomplete: 'limit' });
    // Exact matches from offset 5,000 on are not reachable, and no match is from 10,000 on.
    expect(await here.find({ name: 'a' }, paging(5000))).toMatchObject({ incomplete: 'limit' });
    const pages = await here.find({ name: 'handlePart', limit: 1 });
    expect(pages).toMatchObject({ nextCursor: null });
    expect(pages.incomplete).toBeUndefined();
  });

  it('does not report a limit when a cursor continues', async () => {
    const found = await here.find({ name: 'lease', limit: 1 });
    expect(found.nextCursor).not.toBeNull();
    expect(found.incomplete).toBeUndefined();
  });

  it.each([
    ['', 'empty'],
    ['()', 'empty'],
    ['a\nb', 'line break'],
    ['x'.repeat(201), '200'],
    ['a\ud800', 'half'],
  ])('refuses the name %j', async (name, why) => {
    await expect(here.find({ name })).rejects.toThrow(why);
  });

  it.each([0, 101, 1.5])('refuses a limit of %s', async (limit) => {
    await expect(here.find({ name: 'Lease', limit })).rejects.toThrow(InvalidInput);
  });
});
