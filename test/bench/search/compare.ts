import { setTimeout as delay } from 'node:timers/promises';
import { geometricMean, median, percentile } from '../statistics.ts';
import type { EmbeddedEngine } from './embedded.ts';
import type { Engine } from './engine.ts';
import type { Question } from './questions.ts';
import type { ZoektEngine } from './zoekt.ts';

export interface Engines {
  readonly embedded: EmbeddedEngine;
  readonly ripgrep: Engine;
  readonly csearch: Engine | undefined;
  readonly zoekt: ZoektEngine | undefined;
}

/**
 * The times of one question in milliseconds (medians of the rounds), and the number of files that each engine found.
 */
export interface Timing {
  readonly question: Question;
  readonly first: number;
  readonly all: number;
  readonly ripgrep: number;
  readonly csearch: number | undefined;
  readonly zoekt: number | undefined;
  readonly zoektFirst: number | undefined;
  readonly found: Found;
}

export interface Found {
  readonly embedded: number;
  readonly ripgrep: number;
  readonly csearch: number | undefined;
  readonly zoekt: number | undefined;
  /** Files that only one of ripgrep and the product finds. */
  readonly missing: readonly string[];
  readonly extra: readonly string[];
}

const rounds = 5;
/** ripgrep takes longer than all others together, and its times differ by only a few percent. */
const ripgrepRounds = 3;
/**
 * Pause before each measurement, so that the clean-up of one engine does not slow down the next one, in milliseconds.
 */
const pauseMs = 50;

/** Asks every engine one question in each timed way; warms the engines up and returns the numbers of files. */
export async function askOnce(engines: Engines, question: Question): Promise<Found> {
  const { embedded, ripgrep, csearch, zoekt } = engines;
  const expected = new Set(await ripgrep.all(question));
  const found = new Set(await embedded.all(question));
  await embedded.firstPage(question);
  await embedded.countAll(question, found.size);
  await zoekt?.firstPage(question);
  return {
    embedded: found.size,
    ripgrep: expected.size,
    csearch: csearch && count(await csearch.all(question)),
    zoekt: zoekt && count(await zoekt.all(question)),
    missing: [...expected].filter((path) => !found.has(path)),
    extra: [...found].filter((path) => !expected.has(path)),
  };
}

/**
 * Measures the engines in interleaved rounds, so that all run under the same conditions. ripgrep runs last, because its
 * threads use the whole machine and evict the caches of the others.
 */
export async function timeQuestion(engines: Engines, question: Question, found: Found): Promise<Timing> {
  const { embedded, ripgrep, csearch, zoekt } = engines;
  const times: Record<'first' | 'all' | 'ripgrep' | 'csearch' | 'zoekt' | 'zoektFirst', number[]> = {
    first: [],
    all: [],
    ripgrep: [],
    csearch: [],
    zoekt: [],
    zoektFirst: [],
  };
  const time = async (into: keyof typeof times, run: (() => Promise<unknown>) | undefined): Promise<void> => {
    if (run === undefined) return;
    await delay(pauseMs);
    const started = performance.now();
    await run();
    times[into].push(performance.now() - started);
  };
  for (let round = 0; round < rounds; round++) {
    await time('first', () => embedded.firstPage(question));
    await time('all', () => embedded.countAll(question, found.embedded));
    await time('csearch', csearch && (() => csearch.all(question)));
    await time('zoekt', zoekt && (() => zoekt.all(question)));
    await time('zoektFirst', zoekt && (() => zoekt.firstPage(question)));
  }
  for (let round = 0; round < ripgrepRounds; round++) await time('ripgrep', () => ripgrep.all(question));
  const medianOf = (of: keyof typeof times): number | undefined =>
    times[of].length === 0 ? undefined : median(times[of]);
  return {
    question,
    first: median(times.first),
    all: median(times.all),
    ripgrep: median(times.ripgrep),
    csearch: medianOf('csearch'),
    zoekt: medianOf('zoekt'),
    zoektFirst: medianOf('zoektFirst'),
    found,
  };
}

function count(found: Iterable<string>): number {
  return new Set(found).size;
}

export interface Comparison {
  /** Percentiles of ripgrep divided by those of the first page. */
  readonly first: { readonly p50: number; readonly p95: number };
  readonly milliseconds: { readonly p50: number; readonly p95: number };
  /** Geometric means of the time of the other engine divided by that of all hits. */
  readonly overCsearch: number | undefined;
  readonly overZoekt: number | undefined;
  /** Geometric mean of Zoekt's first page divided by ours. */
  readonly overZoektFirst: number | undefined;
  /** Descriptions of the questions that take more than twice as long as with another engine. */
  readonly slow: readonly string[];
}

export function compareTimings(timings: readonly Timing[]): Comparison {
  const first = timings.map((timing) => timing.first);
  const ripgrep = timings.map((timing) => timing.ripgrep);
  const over = (of: 'csearch' | 'zoekt'): number | undefined =>
    meanOf(timings.map((timing) => timing[of] && timing[of] / timing.all));
  return {
    first: {
      p50: percentile(ripgrep, 0.5) / percentile(first, 0.5),
      p95: percentile(ripgrep, 0.95) / percentile(first, 0.95),
    },
    milliseconds: { p50: percentile(first, 0.5), p95: percentile(first, 0.95) },
    overCsearch: over('csearch'),
    overZoekt: over('zoekt'),
    overZoektFirst: meanOf(timings.map((timing) => timing.zoektFirst && timing.zoektFirst / timing.first)),
    slow: timings.flatMap((timing) =>
      (['csearch', 'zoekt'] as const).flatMap((name) => {
        const other = timing[name];
        if (other === undefined || timing.all <= 2 * other) return [];
        return [
          `${timing.question.text} (${timing.question.kind}): ${timing.all.toFixed(2)} ms, ${name} ${other.toFixed(2)} ms`,
        ];
      }),
    ),
  };
}

function meanOf(ratios: readonly (number | undefined)[]): number | undefined {
  const known = ratios.filter((ratio) => ratio !== undefined);
  return known.length === 0 ? undefined : geometricMean(known);
}
