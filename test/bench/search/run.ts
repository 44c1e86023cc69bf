import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { measureFreshness } from '../freshness/push-to-hit.ts';
import { askOnce, type Engines, type Found, type Timing, timeQuestion } from './compare.ts';
import { type Corpus, writeCorpus } from './corpus.ts';
import { buildCsearch, openCsearch } from './csearch.ts';
import { buildEmbedded, openEmbedded } from './embedded.ts';
import type { OpenJobReport } from './open-job.ts';
import { type Question, questions } from './questions.ts';
import {
  type Costs,
  costRows,
  freshnessRows,
  type PushTimes,
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
 * `npm run bench:search -- [--zoekt <folder of its programs>] [--rounds 40] <git folder>...`: indexes the
 * repositories and asks this engine, ripgrep, csearch and Zoekt the same questions, all in one run; fetches nothing.
 * ripgrep must be installed; csearch and Zoekt are optional. Every engine answers every question once before the
 * measurement, so that all are warm; times are medians of five rounds (ripgrep: three), with a pause before each.
 * "First 50" is a page as callers get it: ranked, five lines per file. "All" is every matching file, in one request
 * that returns the last thousand of them; for Zoekt only their names, over HTTP; for `csearch -l` and `rg -l`
 * including the start of their process. Pushes (`--rounds`, of one to 50 files) go to copies of the smallest and the
 * largest repository. Prints every measure with its threshold and goal; exits with 1 when a threshold is missed.
 */
const usage =
  'usage: npm run bench:search -- [--zoekt <folder of its programs>] [--rounds 40] <git folder>...';
const { values, positionals: gitDirs } = parseArgs({
  options: { zoekt: { type: 'string' }, rounds: { type: 'string', default: '40' } },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
if (gitDirs.length === 0 || !(rounds >= 1) || !isInstalled('rg')) {
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
const costs = await measureCosts(corpus);
const timings = await timeQuestions(corpus);
printDifferences(timings);
const pushes = await timePushes(corpus);
console.log();
const missed = printTable([...searchRows(timings), ...costRows(corpus, costs), ...freshnessRows(pushes)]);
printSlow(timings);
console.log(
  `load average at the end ${loadavg()[0]?.toFixed(1)}, ${availableParallelism()} processors: with a higher load than processors, only ratios are meaningful`,
);
process.exitCode = missed > 0 ? 1 : 0;

/** Builds every index before any question is asked, so that no build slows down a question. */
async function measureCosts(of: Corpus): Promise<Costs> {
  return {
    raw: await buildEmbedded(of, folder('raw'), 'none'),
    zstd: await buildEmbedded(of, folder('zstd'), 'zstd'),
    csearch: has.csearch ? await buildCsearch(of, join(root, 'csearch-index')) : undefined,
    zoekt: has.zoekt ? await buildZoekt(of, zoekt, folder('zoekt')) : undefined,
    open: await openJob(folder('raw')),
    idle: await openJob(folder('empty')),
  };
}

async function timeQuestions(of: Corpus): Promise<Timing[]> {
  const engines: Engines = {
    embedded: openEmbedded(folder('raw')),
    ripgrep: openRipgrep(of),
    csearch: has.csearch ? openCsearch(of, join(root, 'csearch-index')) : undefined,
    zoekt: has.zoekt ? await openZoekt(zoekt, folder('zoekt')) : undefined,
  };
  const found = new Map<Question, Found>();
  for (const question of questions) found.set(question, await askOnce(engines, question));
  const timed: Timing[] = [];
  printTimingHead();
  for (const [question, files] of found) {
    const timing = await timeQuestion(engines, question, files);
    timed.push(timing);
    printTiming(timing);
  }
  for (const engine of Object.values(engines)) await engine?.close();
  return timed;
}

async function openJob(index: string): Promise<OpenJobReport> {
  const job = fileURLToPath(new URL('./open-job.ts', import.meta.url));
  const { output } = await runMeasured(process.execPath, [job, index]);
  return JSON.parse(output) as OpenJobReport;
}

/** Measures pushes to the smallest and the largest repository: the time should not depend on the size. */
async function timePushes({ repositories }: Corpus): Promise<PushTimes[]> {
  const bySize = repositories.toSorted((a, b) => a.bytes - b.bytes);
  const measured: PushTimes[] = [];
  for (const { gitDir, bytes } of new Set([bySize.at(0)!, bySize.at(-1)!])) {
    const pushed = measureFreshness(resolve(gitDir), { rounds, files: 50 });
    // An error must not prevent the output of the earlier results.
    measured.push({ bytes, times: await pushed.then(({ hits }) => hits, String) });
  }
  return measured;
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['-help'], { stdio: 'ignore' }).error === undefined;
}
