import { freshnessBars } from '../freshness/push-to-hit.ts';
import { percentile } from '../statistics.ts';
import { compareTimings, type Timing } from './compare.ts';
import type { Corpus } from './corpus.ts';
import type { BuildCost } from './engine.ts';
import type { IndexJobReport } from './index-job.ts';
import type { OpenJobReport } from './open-job.ts';
import { atLeast, atMost, type Row } from './table.ts';

/** What the indexes cost. */
export interface Costs {
  readonly raw: BuildCost & IndexJobReport;
  readonly zstd: BuildCost & IndexJobReport;
  readonly csearch: BuildCost | undefined;
  readonly zoekt: BuildCost | undefined;
  readonly open: OpenJobReport;
  /** The same process with nothing to open. */
  readonly idle: OpenJobReport;
}

const MB = 1e6;

export function costRows({ bytes }: Corpus, { raw, zstd, csearch, zoekt, open, idle }: Costs): Row[] {
  const cpu = (cost: BuildCost): string => `${per100(cost.cpu, bytes).toFixed(2)} s`;
  const size = (cost: BuildCost): string => `${((cost.size / bytes) * 100).toFixed(0)} %`;
  return [
    {
      measure: 'index, CPU per 100 MB, with git',
      must: atMost(2),
      goal: atMost(1.5),
      got: per100(raw.cpu, bytes),
      unit: ' s',
      note: `zstd ${cpu(zstd)}${beside('cindex', csearch, cpu, ' from a checkout')}${beside('Zoekt', zoekt, cpu)}`,
    },
    {
      measure: 'total size, raw',
      must: atMost(125),
      goal: atMost(115),
      got: (raw.size / bytes) * 100,
      unit: ' %',
      note: `of the text${beside('cindex', csearch, size, ' beside a checkout')}${beside('Zoekt', zoekt, size)}`,
    },
    {
      measure: 'total size, zstd',
      must: atMost(46),
      goal: atMost(42),
      got: (zstd.size / bytes) * 100,
      unit: ' %',
    },
    {
      measure: 'index job, peak memory',
      must: atMost(256),
      goal: atMost(192),
      got: largest(raw.peak?.together, zstd.peak?.together),
      unit: ' MB',
      note: `with Git, at one time; raw ${memory(raw)}, zstd ${memory(zstd)}${beside('cindex', csearch, peak)}${beside('Zoekt', zoekt, peak)}`,
    },
    {
      measure: 'memory to hold all segments open',
      must: atMost(0.25),
      goal: atMost(0.15),
      got: (open.opened - idle.opened) / bytes,
      unit: 'x corpus',
      note: `${megabytes(open.opened - idle.opened)} in ${open.threads} threads; after all questions ${megabytes(open.answered - idle.answered)}`,
    },
  ];
}

export function searchRows(timings: readonly Timing[]): Row[] {
  const { first, milliseconds, overCsearch, overZoekt, overZoektFirst, slow } = compareTimings(timings);
  const different = timings.filter(({ found }) => found.missing.length + found.extra.length > 0);
  return [
    {
      measure: 'first 50 ranked under rg -l, p50',
      must: atLeast(100),
      goal: atLeast(200),
      got: first.p50,
      unit: 'x',
      note: `${milliseconds.p50.toFixed(2)} ms`,
    },
    {
      measure: 'first 50 ranked under rg -l, p95',
      must: atLeast(30),
      goal: atLeast(45),
      got: first.p95,
      unit: 'x',
      note: `${milliseconds.p95.toFixed(2)} ms`,
    },
    {
      measure: 'all hits under csearch -l',
      must: atLeast(4),
      goal: atLeast(6),
      got: overCsearch,
      unit: 'x',
      note: 'geometric mean',
    },
    {
      measure: 'all hits under Zoekt',
      must: atLeast(1),
      goal: atLeast(1.5),
      got: overZoekt,
      unit: 'x',
      note: `geometric mean${overZoektFirst === undefined ? '' : `; first 50 ${overZoektFirst.toFixed(1)}x`}`,
    },
    {
      measure: 'questions over 2x slower than either',
      must: atMost(0),
      got: slow.length,
      unit: '',
      note: slow.length === 0 ? '' : 'listed below',
    },
    {
      measure: 'questions with other files than rg -l',
      must: atMost(0),
      got: different.length,
      unit: '',
      note: different.map(({ question }) => question.text).join('; '),
    },
  ];
}

/** Milliseconds from the ends of fetches to first hits. */
export interface PushTimes {
  /** Of the text of the repository. */
  readonly bytes: number;
  /** Or why there are none. */
  readonly times: readonly number[] | string;
}

export function freshnessRows(pushes: readonly PushTimes[]): Row[] {
  return pushes.map(({ bytes, times }) => ({
    measure: `push to hit, repository of ${megabytes(bytes)}, p95`,
    must: atMost(freshnessBars.mustMs),
    goal: atMost(freshnessBars.goalMs),
    got: typeof times === 'string' ? Number.POSITIVE_INFINITY : percentile(times, 0.95),
    unit: ' ms',
    note:
      typeof times === 'string'
        ? times
        : `${times.length} pushes of 1 to 50 files; p50 ${percentile(times, 0.5).toFixed(0)} ms`,
  }));
}

const TITLES = ['first 50', 'all', 'csearch', 'zoekt', 'zoekt 50', 'rg -l', 'files', 'csearch', 'zoekt'];

export function printTimingHead(): void {
  console.log(`\n${'ms'.padEnd(16)}${TITLES.map((title) => title.padStart(10)).join('')}`);
}

/** One line a question: milliseconds, and files found. */
export function printTiming({ question, found, ...times }: Timing): void {
  const cells = [
    ...[times.first, times.all, times.csearch, times.zoekt, times.zoektFirst, times.ripgrep].map((ms) =>
      ms === undefined ? '-' : ms.toFixed(2),
    ),
    ...[found.ripgrep, found.csearch, found.zoekt].map((files) => files?.toString() ?? '-'),
  ];
  console.log(
    `${question.kind.padEnd(16)}${cells.map((cell) => cell.padStart(10)).join('')}  ${question.text}`,
  );
}

export function printSlow(timings: readonly Timing[]): void {
  for (const line of compareTimings(timings).slow) console.log(`over 2x slower: ${line}`);
}

/** Where the sets of files are not those of ripgrep, some of the files; and how far the others are off. */
export function printDifferences(timings: readonly Timing[]): void {
  for (const { question, found } of timings) {
    if (found.missing.length + found.extra.length === 0) continue;
    console.log(`DIFFERENT: ${question.text}: missing ${show(found.missing)}; too many ${show(found.extra)}`);
  }
  for (const name of ['csearch', 'zoekt'] as const) {
    const off = timings.filter(({ found }) => found[name] !== undefined && found[name] !== found.ripgrep);
    if (off.length > 0) console.log(`${name} finds another number of files in ${off.length} questions`);
  }
}

function show(files: readonly string[]): string {
  return `${files.length} (${files.slice(0, 3).join(', ')})`;
}

/** Megabytes of both jobs' larger peak; `undefined` where it was not measured. */
function largest(...bytes: readonly (number | undefined)[]): number | undefined {
  const known = bytes.filter((peakBytes) => peakBytes !== undefined);
  return known.length === 0 ? undefined : Math.max(...known) / MB;
}

/** What the job holds by itself, and what the processes of Git do, each at its largest. */
function memory({ peak: held }: BuildCost): string {
  if (held === undefined) return 'unknown';
  const { together, own, children, anonymous } = held;
  return `${megabytes(together)} (own ${megabytes(own)}, Git ${megabytes(children)}; without mapped files ${megabytes(anonymous)})`;
}

function peak({ peak: held }: BuildCost): string {
  return held === undefined ? 'unknown' : megabytes(held.together);
}

function megabytes(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`;
}

function per100(seconds: number, bytes: number): number {
  return (seconds / bytes) * 100 * MB;
}

function beside(
  name: string,
  cost: BuildCost | undefined,
  print: (cost: BuildCost) => string,
  note = '',
): string {
  return cost === undefined ? '' : `; ${name} ${print(cost)}${note}`;
}
