import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, literal, ours, patient } from '../../../../../test/contract/codesearch/query.ts';
import {
  applyAndDefine,
  indexRequest,
  namedRepository,
} from '../../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import type { CodeSearch, FileMatch, Query, SearchRequest } from '../../port.ts';
import { openCodeSearch } from '../open-embedded-code-search.ts';

const files = {
  'src/lease.ts':
    'import { now } from "./clock";\n\nexport class Lease {\n  renewLease(): void {}\n}\n\nexport function acquireLease(key: string) {\n  return new Lease(key, now());\n}\n',
  'src/lease-table.ts':
    'import { acquireLease } from "./lease";\n\nexport const leases = [acquireLease("a")];\n',
  'src/worker.go': 'package worker\n\nfunc acquireLease() {}\n',
  'test/lease.test.ts': 'export function acquireLease() {}\n',
  'vendor/lib/lease.py': 'def acquireLease():\n    pass\n',
  'docs/lease.md': 'export function acquireLease() {}\n',
  'src/straße.ts': 'export function grüßeAlle() {}\nexport function acquireGrüße() {}\n',
  'src/long.ts': `// ${'filler '.repeat(12)}\n`.repeat(600).concat('export function farBelow() {}\n'),
};
const web = namedRepository('repo-symbols', 'acme/symbols');

const sym = (text: string, more: Partial<Extract<Query, { kind: 'symbol' }>> = {}): Query => ({
  kind: 'symbol',
  form: 'literal',
  text,
  caseSensitive: true,
  ...more,
});

describe('a query for symbols', () => {
  let search: CodeSearch;

  beforeAll(async () => {
    const root = temporaryFolder();
    const repository = createRepository(files);
    const index = openTestIndex({ root, log: silentLog });
    const request = {
      scope: ours,
      gitDir: `${repository.folder}/.git`,
      to: repository.git('rev-parse', 'HEAD'),
    };
    await applyAndDefine(index, indexRequest({ ...request, repository: web.id }));
    search = openCodeSearch({ root, log: silentLog, threads: 1 });
  });
  afterAll(() => search.close());

  const found = async (query: Query, more: Partial<SearchRequest> = {}): Promise<readonly FileMatch[]> =>
    (await search.search(ours, ask(query, { repositories: [web], ...more }), patient)).files;
  const paths = async (query: Query, more: Partial<SearchRequest> = {}): Promise<string[]> =>
    (await found(query, more)).map((file) => file.path);

  it('finds the files that define a name, source files before tests and vendored code', async () => {
    expect(await paths(sym('acquireLease'))).toEqual([
      'src/lease.ts',
      'src/worker.go',
      'test/lease.test.ts',
      'vendor/lib/lease.py',
    ]);
  });

  it('finds parts of names, case-sensitively or not', async () => {
    expect(await paths(sym('renewL'))).toEqual(['src/lease.ts']);
    expect(await paths(sym('RENEWlease'))).toEqual([]);
    expect(await paths(sym('RENEWlease', { caseSensitive: false }))).toEqual(['src/lease.ts']);
  });

  it('matches a pattern against each name separately', async () => {
    expect((await paths(sym('^(renew|far).*$', { form: 'regex' }))).toSorted()).toEqual([
      'src/lease.ts',
      'src/long.ts',
    ]);
    expect(await paths(sym('Lease\\W+renew', { form: 'regex' }))).toEqual([]);
    expect(await paths(sym('^Lease$', { form: 'regex' }))).toEqual(['src/lease.ts']);
  });

  it('finds whole names, case-sensitively or not', async () => {
    const whole = (text: string, caseSensitive = true): Query => sym(text, { form: 'whole', caseSensitive });
    expect(await paths(whole('Lease'))).toEqual(['src/lease.ts']);
    expect(await paths(whole('renewLease'))).toEqual(['src/lease.ts']);
    expect(await paths(whole('leases'))).toEqual(['src/lease-table.ts']);
    expect(await paths(whole('acquireGrüße'))).toEqual(['src/straße.ts']);
    expect(await paths(whole('acquireGrüße', false))).toEqual(['src/straße.ts']);
    expect(await paths(whole('LEASES', false))).toEqual(['src/lease-table.ts']);
    for (const part of ['acquire', 'Leas', 'Lease\\w*', 'LEASE', 'Grüße'])
      expect(await paths(whole(part))).toEqual([]);
    await expect(paths(whole('a\nb'))).rejects.toThrow(InvalidInput);
  });

  it('returns the lines of the definitions, with name and kind', async () => {
    const [first] = await found(sym('Lease', { caseSensitive: false }));
    expect(first?.matches).toEqual([
      expect.objectContaining({ line: 3, column: 14, length: 5, symbol: { name: 'Lease', kind: 'class' } }),
      expect.objectContaining({
        line: 4,
        column: 3,
        length: 10,
        symbol: { name: 'renewLease', kind: 'method' },
      }),
      expect.objectContaining({
        line: 7,
        text: 'export function acquireLease(key: string) {',
        symbol: { name: 'acquireLease', kind: 'function' },
      }),
    ]);
    expect((await found(sym('farBelow')))[0]?.matches).toMatchObject([{ line: 601, column: 17, length: 8 }]);
    expect((await found(sym('acquireLease'), { contextLines: 1 }))[0]?.matches).toMatchObject([
      { line: 7, before: [''], after: ['  return new Lease(key, now());'] },
    ]);
  });

  it('counts the definitions that it does not return', async () => {
    const [first] = await found(sym('Lease', { caseSensitive: false }), { matchesPerFile: 1 });
    expect(first).toMatchObject({ path: 'src/lease.ts', matches: [{ line: 3 }], moreMatches: 2 });
  });

  it('can be combined with and, or and not', async () => {
    const acquire = sym('acquireLease');
    expect(await paths({ kind: 'and', operands: [acquire, literal('class')] })).toEqual(['src/lease.ts']);
    expect(await paths({ kind: 'or', operands: [sym('farBelow'), literal('filler')] })).toEqual([
      'src/long.ts',
    ]);
    const without: Query = { kind: 'not', operand: acquire };
    const used: Query = { kind: 'and', operands: [literal('acquireLease'), without] };
    expect((await paths(used)).toSorted()).toEqual(['docs/lease.md', 'src/lease-table.ts']);
    const either: Query = { kind: 'or', operands: [sym('leases'), literal('package worker')] };
    expect((await paths(either)).toSorted()).toEqual(['src/lease-table.ts', 'src/worker.go']);
  });

  it('finds non-ASCII names and returns UTF-16 positions', async () => {
    const [first] = await found(sym('GRÜSSE'.toLowerCase().replace('ss', 'ß'), { caseSensitive: false }));
    expect(first?.matches).toMatchObject([
      { line: 1, column: 17, length: 9, symbol: { name: 'grüßeAlle' } },
      { line: 2, column: 17, length: 12, symbol: { name: 'acquireGrüße' } },
    ]);
  });

  it('returns each file once over all pages', async () => {
    const pages: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const request = ask(sym('acquire'), { repositories: [web], limit: 2, offset });
      const page = await search.search(ours, request, patient);
      pages.push(...page.files.map((file) => file.path));
      offset = page.nextOffset;
    }
    expect(pages).toEqual(await paths(sym('acquire')));
    expect(new Set(pages).size).toBe(5);
  });

  it('is refused if it is empty, has several lines, or is outside the subset of patterns', async () => {
    for (const query of [
      sym(''),
      sym('a\nb'),
      sym('(?=a)', { form: 'regex' }),
      sym('(', { form: 'regex' }),
    ]) {
      await expect(search.search(ours, ask(query), patient)).rejects.toThrow(InvalidInput);
    }
  });

  it('returns the reasons for the rank of a file', async () => {
    const byPath = new Map((await found(literal('acquireLease'))).map((file) => [file.path, file.reasons]));
    expect(byPath.get('src/lease.ts')).toEqual(['defines acquireLease (function)', 'whole word']);
    expect(byPath.get('src/lease-table.ts')).toEqual(['whole word']);
    expect(byPath.get('test/lease.test.ts')?.at(-1)).toBe('test file');
    expect(byPath.get('vendor/lib/lease.py')?.at(-1)).toBe('vendored or generated');
    expect(byPath.get('docs/lease.md')).toEqual(['defines acquireLease', 'whole word', 'documentation']);
    const [named] = await found(literal('lease-table', 'path'));
    expect(named?.reasons).toEqual(['file name']);
  });

  it('returns the symbol of a text match that lies in the name its line defines', async () => {
    const [first] = await found(literal('acquireLease'));
    expect(first?.matches[0]).toMatchObject({ symbol: { name: 'acquireLease', kind: 'function' } });
    const [key] = await found(literal('key: string'));
    expect(key?.matches[0]?.symbol).toBeUndefined();
  });
});
