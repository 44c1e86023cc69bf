import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Engines, type Timing, timeQuestion } from './compare.ts';
import { type Corpus, writeCorpus } from './corpus.ts';
import { buildCsearch, openCsearch } from './csearch.ts';
import { buildEmbedded, openEmbedded } from './embedded.ts';
import type { OpenJobReport } from './open-job.ts';
import { questions } from './questions.ts';
import {
  type Costs,
  costRows,
  printDifferences,
  printSlow,
  printTiming,
  printTimingHead,
  searchRows,
} from './report.ts';
import { openRipgrep } from './ripgrep.ts';
import { runMeasured } from './run-measured.ts';
import { printTable } from './table.ts';
import { buildZoekt, openZoekt } from './zoekt.ts';

/**
 * `npm run bench:search -- [--zoekt <folder of its programs>] <git folder>...`: indexes the repositories and asks this
 * engine, ripgrep, csearch and Zoekt the same questions, all in one run; nothing is fetched. ripgrep must be installed;
 * csearch and Zoekt are left out where they are not. Times are medians of five, of ripgrep three, after one to warm up.
 * "First 50" is a page as people get it: ranked, five lines a file. "All" is every matching file, in one request that
 * holds the last thousand of them; of Zoekt their names alone, over HTTP; of csearch and rg `-l`, with their start.
 */
const usage = 'usage: npm run bench:search -- [--zoekt <folder of its programs>] <git folder>...';
const { values, positionals: gitDirs } = parseArgs({
  options: { zoekt: { type: 'string' } },
  allowPositionals: true,
});
if (gitDirs.length === 0 || !isInstalled('rg')) {
  console.error(`${usage} (ripgrep must be installed)`);
  process.exit(2);
}
const zoekt = values.zoekt ?? '';
const has = { csearch: isInstalled('cindex'), zoekt: isInstalled(join(zoekt, 'zoekt-webserver')) };
const root = temporaryFolder();
const folder = (name: string): string => {
  mkdirSync(join(root, name), { recursive: true });
  return join(root, name);
};

const corpus = writeCorpus(gitDirs, folder('checkout'));
console.log(
  `corpus: ${(corpus.bytes / 1e6).toFixed(1)} MB of text, ${corpus.files} files, ${gitDirs.length} repositories`,
);
const costs = measureCosts(corpus);
const timings = await timeQuestions(corpus);
printDifferences(timings);
console.log();
printTable([...searchRows(timings), ...costRows(corpus, costs)]);
printSlow(timings);
console.log(
  `load of the machine at the end ${loadavg()[0]?.toFixed(1)}, ${availableParallelism()} processors: beyond those, only ratios say something`,
);
measureFreshness();

/** Every index is built before anything is asked, so that no question waits for another engine's build. */
function measureCosts(of: Corpus): Costs {
  return {
    raw: buildEmbedded(of, folder('raw'), 'none'),
    zstd: buildEmbedded(of, folder('zstd'), 'zstd'),
    csearch: has.csearch ? buildCsearch(of, join(root, 'csearch-index')) : undefined,
    zoekt: has.zoekt ? buildZoekt(of, zoekt, folder('zoekt')) : undefined,
    open: openJob(folder('raw')),
    idle: openJob(folder('empty')),
  };
}

async function timeQuestions(of: Corpus): Promise<Timing[]> {
  const engines: Engines = {
    embedded: openEmbedded(folder('raw')),
    ripgrep: openRipgrep(of),
    csearch: has.csearch ? openCsearch(of, join(root, 'csearch-index')) : undefined,
    zoekt: has.zoekt ? await openZoekt(zoekt, folder('zoekt')) : undefined,
  };
  const timed: Timing[] = [];
  printTimingHead();
  for (const question of questions) {
    const timing = await timeQuestion(engines, question);
    timed.push(timing);
    printTiming(timing);
  }
  for (const engine of Object.values(engines)) await engine?.close();
  return timed;
}

function openJob(index: string): OpenJobReport {
  const job = fileURLToPath(new URL('./open-job.ts', import.meta.url));
  return JSON.parse(runMeasured(process.execPath, [job, index]).output) as OpenJobReport;
}

/** From the end of a fetch to the first hit: a measurement of its own, over the same repositories. */
function measureFreshness(): void {
  const program = fileURLToPath(new URL('../freshness.ts', import.meta.url));
  if (!existsSync(program)) return;
  console.log();
  spawnSync(process.execPath, [program, ...gitDirs], { stdio: 'inherit' });
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['-help'], { stdio: 'ignore' }).error === undefined;
}
