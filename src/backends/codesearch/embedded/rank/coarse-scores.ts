import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { lowerBound } from '../../../../foundation/kernel/lower-bound.ts';
import { forEachBit, hasBit } from '../format/bits.ts';
import type { ShouldStop } from '../query/find-hits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import type { Mention } from './exact-mentions.ts';
import { averageLength, type FieldScores, fieldScores } from './field-scores.ts';
import type { FactorOf } from './fuse.ts';
import { type PastCommits, pastCommits } from './past-commits.ts';
import type { RankTerm } from './rank-terms.ts';

/** The scores that the tables of the index and past commits give the documents of one segment. */
export interface CoarseSegment {
  readonly live: LiveSegment;
  readonly fields: FieldScores;
  /** By document: the scores of its mentions, and of past changes. */
  readonly exact: Float64Array;
  readonly history: Float64Array;
  readonly mentions: ReadonlyMap<number, readonly Mention[]>;
  past: PastCommits | undefined;
  /** The documents with at least one signal. */
  candidates: readonly number[];
}

export interface CoarseDocument {
  readonly segment: CoarseSegment;
  readonly document: number;
  readonly path: string;
  readonly score: number;
}

/** Weight of each signal where candidates are chosen. Their final order comes from `fine-scores.ts`. */
const weight = { content: 1, path: 0.5, exact: 0.6, history: 0.6 } as const;
type Best = Record<keyof typeof weight, number>;

/**
 * Maximum number of repositories whose history is read per question: those with the best files by the other signals.
 */
const maxHistories = 20;

/** Scores the documents of segments by everything but past commits, which `addPastCommits` adds. */
export function coarseScores(
  segments: readonly LiveSegment[],
  terms: readonly RankTerm[],
  mentions: readonly Mention[],
  shouldStop: ShouldStop,
): CoarseSegment[] {
  const average = averageLength(segments);
  const bySegment = Map.groupBy(mentions, ({ live }) => live);
  const scored: CoarseSegment[] = [];
  for (const live of segments) {
    if (shouldStop()) break;
    const { count } = live.segment.documents;
    const exact = new Float64Array(count);
    const own = (bySegment.get(live) ?? []).filter(({ document }) => hasBit(live.documents, document));
    for (const { document, score } of own) exact[document]! += score;
    const signals = {
      live,
      fields: fieldScores(live, terms, average),
      exact,
      history: new Float64Array(count),
    };
    scored.push({
      ...signals,
      mentions: Map.groupBy(own, ({ document }) => document),
      past: undefined,
      candidates: candidatesOf(signals),
    });
  }
  return scored;
}

/**
 * Reads the histories of the best repositories, and adds the signals of past commits, also to files without another.
 */
export function addPastCommits(
  scored: readonly CoarseSegment[],
  terms: readonly RankTerm[],
  { area, factorOf }: { readonly area: string | undefined; readonly factorOf: FactorOf },
  shouldStop: ShouldStop,
): void {
  const hashes = terms.map(({ content }) => content);
  const past = new Map<RepositoryId, PastCommits | undefined>();
  for (const live of segmentsByBestFile(scored, factorOf)) {
    if (past.has(live.repositoryId)) continue;
    if (past.size >= maxHistories || shouldStop()) break;
    const history = live.history();
    past.set(live.repositoryId, history && pastCommits(history, hashes, area));
  }
  for (const segment of scored) {
    segment.past = past.get(segment.live.repositoryId);
    if (segment.past === undefined) continue;
    addChanges(segment, segment.past);
    segment.candidates = candidatesOf(segment);
  }
}

function addChanges({ live, history }: CoarseSegment, past: PastCommits): void {
  for (const [path, { similar, area, described }] of past.files) {
    const score = similar + area + (described === undefined ? 0 : Math.max(...described));
    for (const document of live.documentsAt(path)) history[document] = score;
  }
}

function segmentsByBestFile(scored: readonly CoarseSegment[], factorOf: FactorOf): LiveSegment[] {
  const best = bestOf(scored);
  const firsts = scored.flatMap((segment) => bestOfSegments([segment], best, 1, factorOf));
  return firsts.toSorted(byScore).map(({ segment }) => segment.live);
}

/** Returns the best `max` documents in order. An object is created only for these; the others stay numbers. */
export function bestDocuments(
  scored: readonly CoarseSegment[],
  max: number,
  factorOf: FactorOf,
): CoarseDocument[] {
  return bestOfSegments(scored, bestOf(scored), max, factorOf);
}

/** Maximum number of best documents of each repository that are added, and of such repositories. */
const every = { documents: 5, repositories: 20 } as const;

/** Returns the best `max` documents and, after them, the best ones of other repositories, in order. */
export function withEveryRepository(
  scored: readonly CoarseSegment[],
  max: number,
  factorOf: FactorOf,
): CoarseDocument[] {
  const best = bestOf(scored);
  const first = bestOfSegments(scored, best, max, factorOf);
  const isNew = (one: CoarseDocument): boolean =>
    !first.some(({ segment, document }) => segment === one.segment && document === one.document);
  const byRepository = Map.groupBy(scored, ({ live }) => live.repositoryId);
  const others = [...byRepository.values()]
    .map((segments) => bestOfSegments(segments, best, every.documents, factorOf))
    .filter(([top]) => top !== undefined)
    .toSorted(([a], [b]) => byScore(a!, b!))
    .slice(0, every.repositories)
    .flat();
  return [...first, ...others.filter(isNew)];
}

function bestOfSegments(
  scored: readonly CoarseSegment[],
  best: Best,
  max: number,
  factorOf: FactorOf,
): CoarseDocument[] {
  const ranked: CoarseDocument[] = [];
  for (const segment of scored) {
    const { live, exact, history } = segment;
    const { content, path } = segment.fields.scores;
    for (const document of segment.candidates) {
      const total =
        partOf(content[document]!, weight.content, best.content) +
        partOf(path[document]!, weight.path, best.path) +
        partOf(exact[document]!, weight.exact, best.exact) +
        partOf(history[document]!, weight.history, best.history);
      const worst = ranked.length === max ? ranked[max - 1]!.score : 0;
      if (total * maxFactor < worst) continue;
      const score = total * factorOf(live, document);
      if (score < worst) continue;
      const file = { segment, document, path: live.path(document), score };
      ranked.splice(
        lowerBound(ranked.length, (index) => byScore(file, ranked[index]!) < 0),
        0,
        file,
      );
      if (ranked.length > max) ranked.pop();
    }
  }
  return ranked;
}

/** The highest factor of a document. One that stays below the worst kept document even with it is passed over. */
const maxFactor = 10 * 1.5;

function partOf(value: number, of: number, best: number): number {
  return value > 0 ? (of * value) / best : 0;
}

function bestOf(scored: readonly CoarseSegment[]): Best {
  const best = { content: 0, path: 0, exact: 0, history: 0 };
  for (const segment of scored) {
    const { exact, history, candidates } = segment;
    const { content, path } = segment.fields.scores;
    for (const document of candidates) {
      best.content = Math.max(best.content, content[document]!);
      best.path = Math.max(best.path, path[document]!);
      best.exact = Math.max(best.exact, exact[document]!);
      best.history = Math.max(best.history, history[document]!);
    }
  }
  return best;
}

/** Returns the documents with at least one signal. */
function candidatesOf({
  live,
  fields,
  exact,
  history,
}: Pick<CoarseSegment, 'live' | 'fields' | 'exact' | 'history'>): readonly number[] {
  const { content, path } = fields.scores;
  const found: number[] = [];
  forEachBit(live.documents, live.segment.documents.count, (document) => {
    if (content[document]! > 0 || path[document]! > 0 || exact[document]! > 0 || history[document]! > 0)
      found.push(document);
  });
  return found;
}

/** Compares documents by score, then by path and repository: the order of results. */
export function byScore<File extends { score: number; path: string; segment: CoarseSegment }>(
  a: File,
  b: File,
): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.segment.live.repositoryId < b.segment.live.repositoryId ? -1 : 1;
}
