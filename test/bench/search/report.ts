import { freshnessThresholds } from '../freshness/push-to-hit.ts';
import { percentile } from '../statistics.ts';
import { compareTimings, type Timing } from './compare.ts';
import type { Corpus } from './corpus.ts';
import type { BuildCost } from './engine.ts';
import type { IndexJobReport } from './index-job.ts';
import type { OpenJobReport } from './open-job.ts';
import { atLeast, atMost, type Row } from './table.ts';

/** The costs of the indexes. */
export interface Costs {
  readonly raw: BuildCost & IndexJobReport;
  readonly zstd: BuildCost & IndexJobReport;
  readonly csearch: BuildCost | undefined;
  readonly zoekt: BuildCost | undefined;
  readonly open: OpenJobReport;
  /** The same process with nothing to open. */
  readonly idle: OpenJobReport;
}

const megabyte = 1e6;

export function costRows({ bytes }: Corpus, { raw, zstd, csearch, zoekt, open, idle }: Costs): Row[] {
  const cpu = (cost: BuildCost): string => `${per100(cost.cpu, bytes).toFixed(2)} s`;
  const size = (cost: BuildCost): string => `${((cost.size / bytes) * 100).toFixed(0)} %`;
  return [
    {
      measure: 'index, CPU per 100 MB, with git',
      must: atMost(2),
      goal: atMost(1.5),
      measured: per100(raw.cpu, bytes),
      unit: ' s',
      note: `zstd ${cpu(zstd)}${otherEngine('cindex', csearch, cpu, ' from a checkout')}${otherEngine('Zoekt', zoekt, cpu)}`,
    },
    {
      measure: 'total size, raw',
      must: atMost(125),
      goal: atMost(115),
      measured: (raw.size / bytes) * 100,
      unit: ' %',
      note: `of the text${otherEngine('cindex', csearch, size, ' plus a checkout')}${otherEngine('Zoekt', zoekt, size)}`,
    },
    {
      measure: 'total size, zstd',
      must: atMost(46),
      goal: atMost(42),
      measured: (zstd.size / bytes) * 100,
      unit: ' %',
    },
    {
      measure: 'index job, peak memory',
      must: atMost(256),
      goal: atMost(192),
      measured: largest(raw.peak?.together, zstd.peak?.together),
      unit: ' MB',
      note: `with Git, at the same time; raw ${memory(raw)}, zstd ${memory(zstd)}${otherEngine('cindex', csearch, peak)}${otherEngine('Zoekt', zoekt, peak)}`,
    },
    {
      measure: 'memory to hold all segments open',
      must: atMost(0.25),
      goal: atMost(0.15),
      measured: (open.opened - idle.opened) / bytes,
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
      measure: 'first 50 ranked vs rg -l, p50',
      must: atLeast(100),
      goal: atLeast(200),
      measured: first.p50,
      unit: 'x',
      note: `${milliseconds.p50.toFixed(2)} ms`,
    },
    {
      measure: 'first 50 ranked vs rg -l, p95',
      must: atLeast(30),
      goal: atLeast(45),
      measured: first.p95,
      unit: 'x',
      note: `${milliseconds.p95.toFixed(2)} ms`,
    },
    {
      measure: 'all hits vs csearch -l',
      must: atLeast(4),
      goal: atLeast(6),
      measured: overCsearch,
      unit: 'x',
      note: 'geometric mean',
    },
    {
      measure: 'all hits vs Zoekt',
      must: atLeast(1),
      goal: atLeast(1.5),
      measured: overZoekt,
      unit: 'x',
      note: `geometric mean${overZoektFirst === undefined ? '' : `; first 50 ${overZoektFirst.toFixed(1)}x`}`,
    },
    {
      measure: 'questions over 2x slower than either',
      must: atMost(0),
      measured: slow.length,
      unit: '',
      note: slow.length === 0 ? '' : 'listed below',
    },
    {
      measure: 'questions with other files than rg -l',
      must: atMost(0),
      measured: different.length,
      unit: '',
      note: different.map(({ question }) => question.text).join('; '),
    },
  ];
}

/** Times from the end of a fetch to the first hit. */
export interface PushTimes {
  /** Size of the text of the repository. */
  readonly bytes: number;
  /** Milliseconds of each push, or the reason why there are none. */
  readonly times: readonly number[] | string;
}

export function freshnessRows(pushes: readonly PushTimes[]): Row[] {
  return pushes.map(({ bytes, times }) => ({
    measure: `push to hit, repository of ${megabytes(bytes)}, p95`,
    must: atMost(freshnessThresholds.mustMs),
    goal: atMost(freshnessThresholds.goalMs),
    measured: typeof times === 'string' ? Number.POSITIVE_INFINITY : percentile(times, 0.95),
    unit: ' ms',
    note:
      typeof times === 'string'
        ? times
        : `${times.length} pushes of 1 to 50 files; p50 ${percentile(times, 0.5).toFixed(0)} ms`,
  }));
}

const titles = ['first 50', 'all', 'csearch', 'zoekt', 'zoekt 50', 'rg -l', 'files', 'csearch', 'zoekt'];

export function printTimingHead(): void {
  console.log(`\n${'ms'.padEnd(16)}${titles.map((title) => title.padStart(10)).join('')}`);
}

/** Prints one line per question: milliseconds and number of files. */
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

/** Prints the differences to ripgrep's sets of files, and how often the other engines differ. */
export function printDifferences(timings: readonly Timing[]): void {
  for (const { question, found } of timings) {
    if (found.missing.length + found.extra.length === 0) continue;
    console.log(
      `DIFFERENT: ${question.text}: missing ${show(found.missing)}; unexpected ${show(found.extra)}`,
    );
  }
  for (const name of ['csearch', 'zoekt'] as const) {
    const differing = timings.filter(
      ({ found }) => found[name] !== undefined && found[name] !== found.ripgrep,
    );
    if (differing.length > 0)
      console.log(`${name} finds a different number of files for ${differing.length} questions`);
  }
}

function show(files: readonly string[]): string {
  return `${files.length} (${files.slice(0, 3).join(', ')})`;
}

/** Returns the largest peak in megabytes; `undefined` if none was measured. */
function largest(...bytes: readonly (number | undefined)[]): number | undefined {
  const known = bytes.filter((peakBytes) => peakBytes !== undefined);
  return known.length === 0 ? undefined : Math.max(...known) / megabyte;
}

/** Describes the peak memory of the job itself and of its Git processes. */
function memory({ peak: held }: BuildCost): string {
  if (held === undefined) return 'unknown';
  const { together, own, children, anonymous } = held;
  return `${megabytes(together)} (own ${megabytes(own)}, Git ${megabytes(children)}; without mapped files ${megabytes(anonymous)})`;
}

function peak({ peak: held }: BuildCost): string {
  return held === undefined ? 'unknown' : megabytes(held.together);
}

function megabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(0)} MB`;
}

function per100(seconds: number, bytes: number): number {
  return (seconds / bytes) * 100 * megabyte;
}

function otherEngine(
  name: string,
  cost: BuildCost | undefined,
  print: (cost: BuildCost) => string,
  note = '',
): string {
  return cost === undefined ? '' : `; ${name} ${print(cost)}${note}`;
}
