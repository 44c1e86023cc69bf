import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { Query, SearchResult } from '../../src/backends/codesearch/port.ts';
import type { OrganizationId } from '../../src/foundation/kernel/ids.ts';
import { indexRequest } from '../support/index-request.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { median } from './statistics.ts';

/**
 * `node test/bench/search.ts <git folder>...`: indexes the repositories, then asks the engine and `rg -l` the same
 * questions, and prints the ratios of this one run. ripgrep reads a checkout; it starts a process for each question.
 */
const rounds = 3;
const gitDirs = process.argv.slice(2);
if (gitDirs.length === 0 || spawnSync('rg', ['--version']).status !== 0) {
  console.error('usage: node test/bench/search.ts <git folder>... (ripgrep must be installed)');
  process.exit(2);
}

const questions: readonly { kind: string; term: string; regex?: true; insensitive?: true }[] = [
  ...[
    'createServer',
    'getProviderSchema',
    'RetryMiddleware',
    'parseQuery',
    'isAbsolutePath',
    'NewContext',
  ].map((term) => ({ kind: 'identifier', term })),
  ...['return', 'import', 'context', 'function (', 'TODO'].map((term) => ({ kind: 'common', term })),
  ...['err', 'func', 'self'].map((term) => ({ kind: '3-4 characters', term })),
  ...['x', 'of', '=='].map((term) => ({ kind: '1-2 characters', term })),
  ...['zzqxjkvbq', 'no such text anywhere'].map((term) => ({ kind: 'no match', term })),
  ...[
    '(timeout|deadline) exceeded',
    'func \\w+Path\\(',
    '^import .* from',
    'err(or)? != nil',
    '[A-Z]{3,}_[A-Z]+_ID',
  ].map((term) => ({ kind: 'regex', term, regex: true as const })),
  { kind: 'any case', term: 'unauthorized', insensitive: true },
  { kind: 'any case', term: 'retry.*after', regex: true, insensitive: true },
];

const root = temporaryFolder();
const checkout = join(root, 'checkout');
const scope = { organizationId: 'bench' as OrganizationId, orgSlug: 'bench' };
const { signal } = new AbortController();

await build();
await compare();

async function build(): Promise<void> {
  const index = openCodeIndex({ root: join(root, 'index'), log: silentLog });
  let text = 0;
  let milliseconds = 0;
  const before = process.cpuUsage();
  for (const [number, gitDir] of gitDirs.entries()) {
    const to = execFileSync('git', ['--git-dir', gitDir, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    const repository = `r${number}`;
    const started = performance.now();
    const status = await index.apply(indexRequest({ scope, repository, gitDir, to }), signal);
    milliseconds += performance.now() - started;
    text += status.bytes;
    const folder = join(checkout, `${number}-${basename(gitDir)}`);
    mkdirSync(folder, { recursive: true });
    execFileSync('sh', ['-c', 'git --git-dir "$1" archive "$2" | tar -x -C "$3"', 'sh', gitDir, to, folder]);
  }
  const cpu = process.cpuUsage(before);
  const files = readdirSync(join(root, 'index'), { recursive: true, withFileTypes: true });
  const size = files.reduce(
    (sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0),
    0,
  );
  const megabytes = text / 1e6;
  console.log(`corpus            ${megabytes.toFixed(1)} MB of text in ${gitDirs.length} repositories`);
  console.log(
    `index             ${(milliseconds / 1000).toFixed(2)} s, ${((milliseconds / megabytes) * 0.1).toFixed(2)} s per 100 MB`,
  );
  console.log(`CPU without git   ${((cpu.user + cpu.system) / 1e4 / megabytes).toFixed(2)} s per 100 MB`);
  console.log(`size              ${((size / text) * 100).toFixed(1)} % of the text`);
  console.log(`peak memory       ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
}

async function compare(): Promise<void> {
  const search = openCodeSearch({ root: join(root, 'index'), log: silentLog, threads: 1 });
  const ask = async (query: Query, limit: number): Promise<SearchResult> =>
    search.search(scope, { query, limit, matchesPerFile: 5, contextLines: 0, deadlineMs: 60_000 }, signal);
  const ratios = { first: [] as number[], all: [] as number[] };
  console.log('\nkind            own 50 ms  own all ms   rg -l ms   rg / 50  rg / all  files (rg)  term');
  for (const { kind, term, regex, insensitive } of questions) {
    const shared = { caseSensitive: insensitive !== true, field: 'content' } as const;
    const query: Query = regex
      ? { kind: 'regex', source: term, ...shared }
      : { kind: 'literal', text: term, ...shared };
    let found = 0;
    const first = await timed(() => ask(query, 50));
    const all = await timed(async () => {
      found = (await ask(query, 1000)).stats.matched;
    });
    let expected = 0;
    const ripgrep = await timed(async () => {
      expected = byRipgrep(term, regex === true, insensitive === true);
    });
    ratios.first.push(ripgrep / first);
    ratios.all.push(ripgrep / all);
    const cells = [first, all, ripgrep].map((ms) => ms.toFixed(2).padStart(11)).join('');
    const relations = [ripgrep / first, ripgrep / all]
      .map((ratio) => `${ratio.toFixed(1)}x`.padStart(9))
      .join(' ');
    console.log(`${kind.padEnd(14)}${cells} ${relations}  ${`${found} (${expected})`.padStart(11)}  ${term}`);
  }
  await search.close();
  const middle = (values: readonly number[]): string =>
    `${median(values).toFixed(0)}x, at least ${Math.min(...values).toFixed(1)}x`;
  console.log(`\nfirst 50 ranked files under rg -l: median ${middle(ratios.first)}`);
  console.log(`up to 1000 files under rg -l:      median ${middle(ratios.all)}`);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  await run();
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await run();
    times.push(performance.now() - started);
  }
  return median(times);
}

function byRipgrep(term: string, regex: boolean, insensitive: boolean): number {
  const flags = ['--no-config', '--hidden', '--no-ignore', '--max-filesize', '1M', '--files-with-matches'];
  const casing = insensitive ? '--ignore-case' : '--case-sensitive';
  const pattern = regex ? ['--regexp', term] : ['--fixed-strings', '--regexp', term];
  const run = spawnSync('rg', [...flags, casing, ...pattern, '.'], {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return run.stdout.split('\n').filter(Boolean).length;
}
