import type { RankedFile, RankRequest, RankResult } from '../../port.ts';
import { eachBit } from '../format/bits.ts';
import type { TextArena } from '../query/scan/text-arena.ts';
import type { Checkpoint } from '../query/search-segments.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { chooseSpans } from './choose-spans.ts';
import { identifierMentions, type Mention, pathMentions } from './exact-mentions.ts';
import { averageLength, type FieldScores, fieldScores } from './field-scores.ts';
import { fuse, type Signal, type Signals } from './fuse.ts';
import { type RankTerm, rankTerms } from './rank-terms.ts';

interface Candidate {
  readonly live: LiveSegment;
  readonly document: number;
  readonly path: string;
  readonly signals: Signals;
  readonly fields: FieldScores;
  readonly mentions: readonly Mention[];
}

/** Files that speak of the terms, best first, over all segments in range. */
export function rankSegments(
  request: RankRequest,
  segments: readonly LiveSegment[],
  checkpoint: Checkpoint,
  arena: TextArena,
): RankResult {
  const terms = rankTerms(request, segments);
  const mentions = [
    ...pathMentions(request.paths, segments),
    ...identifierMentions(request.identifiers, segments, checkpoint, arena),
  ];
  const candidates = collect(segments, terms, mentions, checkpoint);
  const best: Signals = {
    content: most(candidates, 'content'),
    path: most(candidates, 'path'),
    exact: most(candidates, 'exact'),
  };
  const chosen = candidates
    .map((candidate) => ({ candidate, ...fuse(candidate.signals, best, rankOf(candidate)) }))
    .toSorted((a, b) => b.score - a.score || compare(a.candidate, b.candidate))
    .slice(0, request.limit);
  const files = chosen.map(({ candidate, score, order }) =>
    rankedFile(candidate, score, order, terms, request),
  );
  return { files, ...(checkpoint() ? { incomplete: 'deadline' as const } : {}) };
}

function collect(
  segments: readonly LiveSegment[],
  terms: readonly RankTerm[],
  mentions: readonly Mention[],
  checkpoint: Checkpoint,
): Candidate[] {
  const average = averageLength(segments);
  const candidates: Candidate[] = [];
  for (const live of segments) {
    if (checkpoint()) break;
    const fields = fieldScores(live, terms, average);
    const exact = mentionsByDocument(live, mentions);
    for (const document of eachBit(live.documents, 0, live.segment.documents.count)) {
      const own = exact.get(document) ?? [];
      const signals: Signals = {
        content: fields.content[document]!,
        path: fields.path[document]!,
        exact: own.reduce((sum, mention) => sum + mention.score, 0),
      };
      if (signals.content === 0 && signals.path === 0 && signals.exact === 0) continue;
      const path = live.path(document);
      candidates.push({ live, document, path, signals, fields, mentions: own });
    }
  }
  return candidates;
}

function mentionsByDocument(live: LiveSegment, mentions: readonly Mention[]): Map<number, Mention[]> {
  const own = mentions.filter((mention) => mention.live === live);
  return Map.groupBy(own, (mention) => mention.document);
}

function most(candidates: readonly Candidate[], signal: Signal): number {
  return candidates.reduce((highest, candidate) => Math.max(highest, candidate.signals[signal]), 0);
}

function rankOf({ live, document }: Candidate): number {
  return live.segment.documents.ranks[document]!;
}

function compare(a: Candidate, b: Candidate): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.live.repositoryId < b.live.repositoryId ? -1 : 1;
}

function rankedFile(
  candidate: Candidate,
  score: number,
  order: readonly Signal[],
  terms: readonly RankTerm[],
  request: RankRequest,
): RankedFile {
  const { live, document, path } = candidate;
  const { segment, repositoryId, commit } = live;
  const text = segment.readUnits(
    segment.documents.firstUnit[document]!,
    segment.documents.firstUnit[document + 1]!,
  );
  return {
    repository: repositoryId,
    commit,
    path,
    language: segment.documents.language(document),
    score,
    reasons: order.map((signal) => reason(signal, candidate, terms)),
    spans: chooseSpans(text, terms, request.identifiers),
  };
}

const MOST_WORDS = 4;

function reason(
  signal: Signal,
  { fields, document, mentions }: Candidate,
  terms: readonly RankTerm[],
): string {
  if (signal === 'exact')
    return [...new Set(mentions.map((mention) => mention.reason))].slice(0, MOST_WORDS).join(', ');
  const mask = (signal === 'content' ? fields.contentTerms : fields.pathTerms)[document]!;
  const words = terms.filter((_, bit) => (mask & (1 << bit)) !== 0).map((term) => term.word);
  return `${signal}: ${[...new Set(words)].slice(0, MOST_WORDS).join(', ')}`;
}
