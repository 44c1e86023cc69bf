import { afterEach, describe, expect, it } from 'vitest';
import { runCli, type StandInService, standInService } from '../../test/support/command-line.ts';

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

async function search(body: unknown, words: readonly string[], terminal = false) {
  service = await standInService(() => ({ body }));
  const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
  return runCli(['search', ...words], { env, terminal });
}

describe('search', () => {
  it('prints files with numbered lines, and what is left on stderr', async () => {
    const page = { items: [file], stats, incomplete: 'deadline', nextCursor: 'c2' };
    const outcome = await search(page, ['lease repo:service', '--limit', '1', '--context', '1']);
    expect(service.seen[0]?.url).toBe('/acme/api/v1/search?q=lease+repo%3Aservice&limit=1&context=1');
    expect(outcome.stdout).toBe(
      'service/src/lease.ts\n6-before\n7:const lease = 1; // [31mred\n8-after\n  and 2 more lines\n',
    );
    expect(outcome.stderr).toBe(
      'Incomplete (deadline): narrow it with repo:, file: or lang:.\nThere are more files: --cursor c2 (or --all)\n',
    );
  });

  it('puts every page together with --all', async () => {
    const pages = [
      { items: [file], stats: { ...stats, matched: 4 }, nextCursor: 'c2' },
      { items: [file], stats: { ...stats, matched: 4 }, incomplete: 'deadline', nextCursor: 'c3' },
      { items: [file], stats: { ...stats, matched: 3 }, nextCursor: null },
    ];
    service = await standInService(() => ({ body: pages[service.seen.length - 1] }));
    const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
    const { stdout, code } = await runCli(['search', 'lease', '--all', '--json'], { env });
    expect(code).toBe(0);
    expect(service.seen.map(({ url }) => url)).toEqual(
      ['', '&cursor=c2', '&cursor=c3'].map((more) => `/acme/api/v1/search?q=lease&limit=200${more}`),
    );
    expect(JSON.parse(stdout)).toEqual({ ...pages[2], items: [file, file, file], incomplete: 'deadline' });
  });

  it.each([
    [['limit', 'limit', undefined], undefined],
    [['limit', 'damaged', 'deadline', undefined], 'damaged'],
    [['deadline', 'limit', 'limit'], 'deadline'],
    [[undefined, 'limit'], 'limit'],
  ])('says with --all what none of the pages %j could look at: %s', async (incompletes, told) => {
    const pages = incompletes.map((incomplete, at) => ({
      items: [file],
      stats: { ...stats, matched: 4 },
      ...(incomplete && { incomplete }),
      nextCursor: at + 1 < incompletes.length ? `c${at}` : null,
    }));
    service = await standInService(() => ({ body: pages[service.seen.length - 1] }));
    const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
    const { stdout } = await runCli(['search', 'lease', '--all', '--json'], { env });
    expect(JSON.parse(stdout).incomplete).toBe(told);
  });

  it('says so when nothing matches on any page', async () => {
    const page = { items: [], stats: { ...stats, matched: 0 }, nextCursor: null };
    expect((await search(page, ['lease', '--all'])).stderr).toBe('No matches.\n');
  });

  it('says with --all how many files no page leads to', async () => {
    const page = {
      items: [file],
      stats: { ...stats, matched: 12_000 },
      incomplete: 'limit',
      nextCursor: null,
    };
    expect((await search(page, ['lease', '--all'])).stderr).toBe(
      'These are 1 of 12000 files: narrow the query with repo:, file: or lang:.\n',
    );
  });

  it('names the branch where the query does', async () => {
    const page = { items: [{ ...file, branch: 'release/1\u001b[2J' }], stats, nextCursor: null };
    expect((await search(page, ['lease branch:release/*'])).stdout).toMatch(
      /^service\/src\/lease.ts \(release\/1\S*\)\n/,
    );
    expect((await search(page, ['lease'])).stdout).toMatch(/^service\/src\/lease.ts\n/);
  });

  it('says that an index is damaged, where narrowing would not help', async () => {
    const { stderr } = await search({ items: [], stats, incomplete: 'damaged', nextCursor: null }, ['lease']);
    expect(stderr).toMatch(/Incomplete \(damaged\): .*unreadable.*built anew; search again/);
  });

  it('marks the match in colour on a terminal', async () => {
    const { stdout } = await search({ items: [file], stats, nextCursor: null }, ['lease'], true);
    expect(stdout).toContain('const \u001b[1m\u001b[31mlease\u001b[39m\u001b[22m = 1;');
  });

  it('marks the match in what is shown of a long line', async () => {
    const [match] = file.matches;
    const cut = { ...file, matches: [{ ...match, column: 5007, textOffset: 5000 }] };
    const { stdout } = await search({ items: [cut], stats, nextCursor: null }, ['lease'], true);
    expect(stdout).toContain('const \u001b[1m\u001b[31mlease\u001b[39m\u001b[22m = 1;');
  });

  it('gives the page itself with --json', async () => {
    const page = { items: [file], stats, nextCursor: null };
    expect(JSON.parse((await search(page, ['lease', '--json'])).stdout)).toEqual(page);
  });

  it('says so when nothing matches', async () => {
    const outcome = await search({ items: [], stats, nextCursor: null }, ['lease']);
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: 'No matches.\n' });
  });

  it('refuses a limit of nothing before asking', async () => {
    expect((await search({}, ['lease', '--limit', '0'])).code).toBe(2);
    expect(service.seen).toEqual([]);
  });
});
