import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { RankedFile, RankRequest, RankResult } from '../../port.ts';
import { eachBit, hasBit } from '../format/bits.ts';
import type { Checkpoint, SearchRun } from '../query/find-hits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { lowerBound } from '../read/lower-bound.ts';
import { chooseSpans } from './choose-spans.ts';
import { identifierMentions, type Mention, pathMentions } from './exact-mentions.ts';
import { averageLength, type FieldScores, fieldScores } from './field-scores.ts';
import { type Best, fuse, inOrderOfShare, SIGNALS, type Signal, type Signals } from './fuse.ts';
import { type PastCommits, pastCommits, type SimilarChange } from './past-commits.ts';
import { type RankTerm, rankTerms, wordsAsked } from './rank-terms.ts';

/** What speaks for the documents of one segment. */
interface ScoredSegment {
  readonly live: LiveSegment;
  readonly signals: Signals;
  readonly fields: FieldScores;
  readonly mentions: ReadonlyMap<number, readonly Mention[]>;
  readonly changes: Map<number, SimilarChange>;
}

interface Placed {
  readonly scored: ScoredSegment;
  readonly document: number;
  readonly path: string;
  readonly score: number;
}

/** Repositories whose history is read for one question: those of the best files without it. */
const MOST_HISTORIES = 20;

/** Files that speak of the terms, best first, over all segments in range. */
export function rankSegments(
  request: RankRequest,
  segments: readonly LiveSegment[],
  run: SearchRun,
): RankResult {
  const { checkpoint } = run;
  const terms = rankTerms(request, segments);
  const mentions = [
    ...pathMentions(request.paths, segments),
    ...identifierMentions(request.identifiers, segments, run),
  ];
  const scored = scoreSegments(segments, terms, mentions, checkpoint);
  const past = readPast(inOrderOfBestFile(scored), wordsAsked(request).keys(), checkpoint);
  for (const segment of scored) addPast(segment, past.get(segment.live.repositoryId));
  const best = bestOf(scored);
  const files = bestFiles(scored, best, request.limit).map((file) => ({
    ...rankedFile(file, best, terms),
    // Of a file that time does not suffice for, that it speaks of the terms is still said.
    spans: checkpoint() ? [] : chooseSpans(textOf(file), terms, request.identifiers),
  }));
  return { files, ...(checkpoint() ? { incomplete: 'deadline' as const } : {}) };
}

function scoreSegments(
  segments: readonly LiveSegment[],
  terms: readonly RankTerm[],
  mentions: readonly Mention[],
  checkpoint: Checkpoint,
): ScoredSegment[] {
  const average = averageLength(segments);
  const bySegment = Map.groupBy(mentions, ({ live }) => live);
  const scored: ScoredSegment[] = [];
  for (const live of segments) {
    if (checkpoint()) break;
    const fields = fieldScores(live, terms, average);
    const column = (): Float64Array => new Float64Array(live.segment.documents.count);
    const signals = { ...fields.scores, exact: column(), history: column(), recency: column() };
    const own = bySegment.get(live) ?? [];
    for (const { document, score } of own) {
      if (hasBit(live.documents, document)) signals.exact[document]! += score;
    }
    const byDocument = Map.groupBy(own, ({ document }) => document);
    scored.push({ live, signals, fields, mentions: byDocument, changes: new Map() });
  }
  return scored;
}

/** Documents that something speaks for. That one changed lately is not enough. */
function* candidatesOf({ live, signals }: ScoredSegment): Generator<number> {
  const { content, path, exact, history } = signals;
  for (const document of eachBit(live.documents, 0, live.segment.documents.count)) {
    if (content[document]! > 0 || path[document]! > 0 || exact[document]! > 0 || history[document]! > 0)
      yield document;
  }
}

function bestOf(scored: readonly ScoredSegment[]): Best {
  const best = { content: 0, path: 0, exact: 0, history: 0, recency: 0 };
  for (const segment of scored) {
    for (const document of candidatesOf(segment)) {
      for (const signal of SIGNALS) best[signal] = Math.max(best[signal], segment.signals[signal][document]!);
    }
  }
  return best;
}

/** The first so many in order. Only of those is more made than a number. */
function bestFiles(scored: readonly ScoredSegment[], best: Best, most: number): Placed[] {
  const placed: Placed[] = [];
  for (const segment of scored) {
    const { live, signals } = segment;
    const { ranks } = live.segment.documents;
    for (const document of candidatesOf(segment)) {
      const score = fuse(signals, document, best, ranks[document]!);
      if (placed.length === most && score < placed[most - 1]!.score) continue;
      const file = { scored: segment, document, path: live.path(document), score };
      placed.splice(
        lowerBound(placed.length, (index) => byScore(file, placed[index]!) < 0),
        0,
        file,
      );
      if (placed.length > most) placed.pop();
    }
  }
  return placed;
}

function byScore(a: Placed, b: Placed): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.scored.live.repositoryId < b.scored.live.repositoryId ? -1 : 1;
}

function inOrderOfBestFile(scored: readonly ScoredSegment[]): LiveSegment[] {
  const best = bestOf(scored);
  return scored
    .flatMap((segment) => bestFiles([segment], best, 1))
    .toSorted(byScore)
    .map((file) => file.scored.live);
}

function readPast(
  ordered: readonly LiveSegment[],
  words: Iterable<number>,
  checkpoint: Checkpoint,
): Map<RepositoryId, PastCommits> {
  const asked = [...words];
  const past = new Map<RepositoryId, PastCommits>();
  const seen = new Set<RepositoryId>();
  for (const { repositoryId, history } of ordered) {
    if (seen.has(repositoryId)) continue;
    if (seen.size >= MOST_HISTORIES || checkpoint()) break;
    seen.add(repositoryId);
    const known = history();
    if (known !== undefined) past.set(repositoryId, pastCommits(known, asked));
  }
  return past;
}

/** What past commits say of the files, those that nothing else speaks for included. */
function addPast(segment: ScoredSegment, past: PastCommits | undefined): void {
  if (past === undefined) return;
  const { live, signals, changes } = segment;
  const renamedTo = Map.groupBy(live.renamed, ([, now]) => now);
  for (const [path, change] of past.similar) {
    const renamed = renamedTo.get(path)?.map(([document]) => document) ?? [];
    for (const document of documentsAt(live, path, renamed)) {
      signals.history[document] = change.score;
      changes.set(document, change);
    }
  }
  for (const document of candidatesOf(segment)) {
    signals.recency[document] = past.recency.get(live.path(document)) ?? 0;
  }
}

/** The documents of the default branch that lie at `path` by now; `renamed`: those that were renamed to it. */
function documentsAt(live: LiveSegment, path: string, renamed: readonly number[]): number[] {
  return [...new Set([...live.segment.documents.find(path), ...renamed])].filter(
    (document) => hasBit(live.documents, document) && live.path(document) === path,
  );
}

function rankedFile(
  { scored, document, path, score }: Placed,
  best: Best,
  terms: readonly RankTerm[],
): Omit<RankedFile, 'spans'> {
  const { segment, repositoryId, commit } = scored.live;
  return {
    repository: repositoryId,
    commit,
    path,
    language: segment.documents.language(document),
    score,
    // That a file changed lately tells two alike apart and is no reason by itself.
    reasons: inOrderOfShare(scored.signals, document, best)
      .filter((signal) => signal !== 'recency')
      .map((signal) => reason(signal, scored, document, terms)),
  };
}

function textOf({ scored, document }: Placed): Buffer {
  const { segment } = scored.live;
  const { firstUnit } = segment.documents;
  return segment.readUnits(firstUnit[document]!, firstUnit[document + 1]!);
}

const MOST_WORDS = 4;

function reason(
  signal: Signal,
  { fields, mentions, changes }: ScoredSegment,
  document: number,
  terms: readonly RankTerm[],
): string {
  if (signal === 'history') {
    const change = changes.get(document);
    return `similar change: ${change?.subject} (${change?.id.slice(0, 7)})`;
  }
  if (signal === 'exact') {
    const said = mentions.get(document)?.map((mention) => mention.reason);
    return [...new Set(said)].slice(0, MOST_WORDS).join(', ');
  }
  const mask = (signal === 'content' ? fields.contentTerms : fields.pathTerms)[document]!;
  const words = terms.filter((_, bit) => (mask & (1 << bit)) !== 0).map((term) => term.word);
  return `${signal}: ${[...new Set(words)].slice(0, MOST_WORDS).join(', ')}`;
}
