import { afterEach, describe, expect, it } from 'vitest';
import { runCli, type StandInService, standInService } from '../../../test/support/program/command-line.ts';

const file = {
  repository: 'service',
  repositoryId: '01-a',
  commit: 'a'.repeat(40),
  path: 'src/lease.ts',
  language: 'TypeScript',
  score: 1,
  matches: [
    {
      line: 7,
      column: 7,
      length: 5,
      text: 'const lease = 1; // \u001b[31mred',
      before: ['before'],
      after: ['after'],
    },
  ],
  moreMatches: 2,
};
const stats = { candidates: 1, scanned: 1, matched: 1, milliseconds: 3 };

let service: StandInService;
afterEach(() => service.close());

async function search(body: unknown, words: readonly string[], terminal = false, shown: string[] = []) {
  service = await standInService(() => ({ body }));
  const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
  return runCli(['search', ...words], { env, terminal, shown });
}

describe('search', () => {
  it('prints files with numbered lines, and how to continue on stderr', async () => {
    const page = { items: [file], stats, incomplete: 'deadline', nextCursor: 'c2' };
    const outcome = await search(page, ['lease repo:service', '--limit', '1', '--context', '1']);
    expect(service.seen[0]?.url).toBe('/acme/api/v1/search?q=lease+repo%3Aservice&limit=1&context=1');
    expect(outcome.stdout).toBe(
      'service/src/lease.ts\n6-before\n7:const lease = 1; // [31mred\n8-after\n  and 2 more lines\n',
    );
    expect(outcome.stderr).toBe(
      'Incomplete (deadline): narrow the query with repo:, file: or lang:.\nMore matches are available: --cursor c2 (or --all)\n',
    );
  });

  it('joins words that are not quoted to one query', async () => {
    await search({ items: [file], stats, nextCursor: null }, [
      'retry',
      'lang:typescript',
      '--limit',
      '1',
      'x',
    ]);
    expect(service.seen[0]?.url).toBe('/acme/api/v1/search?q=retry+lang%3Atypescript+x&limit=1');
  });

  it('says below the files how to continue, where a terminal ends', async () => {
    const shown: string[] = [];
    await search({ items: [file], stats, nextCursor: 'c2' }, ['lease'], true, shown);
    expect(shown.join('')).toMatch(
      /and 2 more lines[^\n]*\nMore matches are available: --cursor c2 \(or --all\)\n$/,
    );
  });

  it('merges all pages with --all, and the lines of a file that continues on the next page', async () => {
    const other = { ...file, path: 'src/other.ts', moreMatches: 1 };
    const rest = { ...other, matches: [{ ...file.matches[0], line: 9 }], moreMatches: 0 };
    const pages = [
      { items: [file], stats: { ...stats, matched: 4 }, nextCursor: 'c2' },
      { items: [other], stats: { ...stats, matched: 4 }, incomplete: 'deadline', nextCursor: 'c3' },
      { items: [rest], stats: { ...stats, matched: 3 }, nextCursor: null },
    ];
    service = await standInService(() => ({ body: pages[service.seen.length - 1] }));
    const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
    const { stdout, code } = await runCli(['search', 'lease', '--all', '--json'], { env });
    expect(code).toBe(0);
    expect(service.seen.map(({ url }) => url)).toEqual(
      ['', '&cursor=c2', '&cursor=c3'].map((more) => `/acme/api/v1/search?q=lease&limit=200${more}`),
    );
    const whole = { ...rest, matches: [...other.matches, ...rest.matches] };
    expect(JSON.parse(stdout)).toEqual({ ...pages[2], items: [file, whole], incomplete: 'deadline' });
  });

  it.each([
    [['limit', 'limit', undefined], undefined],
    [['limit', 'damaged', 'deadline', undefined], 'damaged'],
    [['deadline', 'limit', 'limit'], 'deadline'],
    [[undefined, 'limit'], 'limit'],
  ])('reports with --all why the pages %j are incomplete: %s', async (incompletes, expected) => {
    const pages = incompletes.map((incomplete, at) => ({
      items: [file],
      stats: { ...stats, matched: 4 },
      ...(incomplete && { incomplete }),
      nextCursor: at + 1 < incompletes.length ? `c${at}` : null,
    }));
    service = await standInService(() => ({ body: pages[service.seen.length - 1] }));
    const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
    const { stdout } = await runCli(['search', 'lease', '--all', '--json'], { env });
    expect(JSON.parse(stdout).incomplete).toBe(expected);
  });

  it('reports that no page has a match', async () => {
    const page = { items: [], stats: { ...stats, matched: 0 }, nextCursor: null };
    expect((await search(page, ['lease', '--all'])).stderr).toBe('No matches.\n');
    await service.close();
    expect((await search(page, ['lease', '--json'])).stderr).toBe('');
  });

  it('reports with --all how many matching files are missing', async () => {
    const page = {
      items: [file],
      stats: { ...stats, matched: 12_000 },
      incomplete: 'limit',
      nextCursor: null,
    };
    expect((await search(page, ['lease', '--all'])).stderr).toBe(
      'Showing 1 of 12000 files. Narrow the query with repo:, file: or lang:.\n',
    );
  });

  it('prints the branch if the query has a branch filter', async () => {
    const page = { items: [{ ...file, branch: 'release/1\u001b[2J' }], stats, nextCursor: null };
    expect((await search(page, ['lease branch:release/*'])).stdout).toMatch(
      /^service\/src\/lease.ts \(release\/1\S*\)\n/,
    );
    expect((await search(page, ['lease'])).stdout).toMatch(/^service\/src\/lease.ts\n/);
  });

  it('reports a damaged index without advice to narrow the query', async () => {
    const { stderr } = await search({ items: [], stats, incomplete: 'damaged', nextCursor: null }, ['lease']);
    expect(stderr).toMatch(/Incomplete \(damaged\): .*damaged and is being rebuilt\. Search again/);
  });

  it('says that definitions are still being read', async () => {
    const page = { items: [], stats, incomplete: 'definitions', nextCursor: null };
    const { stderr } = await search(page, ['sym:lease']);
    expect(stderr).toMatch(/Incomplete \(definitions\): .*still being read.* or without sym:\./);
  });

  it('highlights the match on a terminal', async () => {
    const { stdout } = await search({ items: [file], stats, nextCursor: null }, ['lease'], true);
    expect(stdout).toContain('const \u001b[1m\u001b[31mlease\u001b[39m\u001b[22m = 1;');
  });

  it('highlights the match in a truncated line', async () => {
    const [match] = file.matches;
    const cut = { ...file, matches: [{ ...match, column: 5007, textOffset: 5000 }] };
    const { stdout } = await search({ items: [cut], stats, nextCursor: null }, ['lease'], true);
    expect(stdout).toContain('const \u001b[1m\u001b[31mlease\u001b[39m\u001b[22m = 1;');
  });

  it('prints the unchanged page with --json', async () => {
    const page = { items: [file], stats, nextCursor: null };
    expect(JSON.parse((await search(page, ['lease', '--json'])).stdout)).toEqual(page);
  });

  it('reports that nothing matches', async () => {
    const outcome = await search({ items: [], stats, nextCursor: null }, ['lease']);
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: 'No matches.\n' });
  });

  it('refuses a limit of 0 without sending a request', async () => {
    expect((await search({}, ['lease', '--limit', '0'])).code).toBe(2);
    expect(service.seen).toEqual([]);
  });
});
