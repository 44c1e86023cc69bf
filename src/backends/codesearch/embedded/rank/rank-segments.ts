import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { RankedFile, RankRequest, RankResult } from '../../port.ts';
import { eachBit, hasBit } from '../format/bits.ts';
import type { Checkpoint } from '../query/find-hits.ts';
import type { TextArena } from '../query/scan/text-arena.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { chooseSpans } from './choose-spans.ts';
import { identifierMentions, type Mention, pathMentions } from './exact-mentions.ts';
import { averageLength, type FieldScores, fieldScores } from './field-scores.ts';
import { fuse, inOrderOfShare, SIGNALS, type Signal, type Signals } from './fuse.ts';
import { type PastCommits, pastCommits, type SimilarChange } from './past-commits.ts';
import { type RankTerm, rankTerms, wordsAsked } from './rank-terms.ts';

const NONE: readonly Mention[] = [];

interface Candidate {
  readonly live: LiveSegment;
  readonly document: number;
  readonly path: string;
  readonly signals: Signals;
  readonly fields: FieldScores;
  readonly mentions: readonly Mention[];
  readonly change: SimilarChange | undefined;
}

/** Repositories whose history is read for one question: those of the best files without it. */
const MOST_HISTORIES = 20;

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
  const fields = scoreFields(segments, terms, checkpoint);
  const byText = collect(fields, mentions);
  const ordered = inOrder(byText);
  const past = readPast(ordered, wordsAsked(request).keys(), checkpoint);
  const placed = past.size === 0 ? ordered : inOrder(withPast(byText, fields, past));
  const files = placed.slice(0, request.limit).map((file) => rankedFile(file, terms, request));
  return { files, ...(checkpoint() ? { incomplete: 'deadline' as const } : {}) };
}

interface Placed {
  readonly candidate: Candidate;
  readonly score: number;
  /** The most that any file has of each signal. */
  readonly best: Signals;
}

function inOrder(candidates: readonly Candidate[]): Placed[] {
  const best = bestOf(candidates);
  return candidates
    .map((candidate) => ({ candidate, score: fuse(candidate.signals, best, rankOf(candidate)), best }))
    .toSorted((a, b) => b.score - a.score || compare(a.candidate, b.candidate));
}

function bestOf(candidates: readonly Candidate[]): Signals {
  const best = { content: 0, path: 0, exact: 0, history: 0, recency: 0 };
  for (const { signals } of candidates) {
    for (const signal of SIGNALS) best[signal] = Math.max(best[signal], signals[signal]);
  }
  return best;
}

function readPast(
  ordered: readonly { readonly candidate: Candidate }[],
  words: Iterable<number>,
  checkpoint: Checkpoint,
): Map<RepositoryId, PastCommits> {
  const asked = [...words];
  const past = new Map<RepositoryId, PastCommits>();
  const seen = new Set<RepositoryId>();
  for (const { candidate } of ordered) {
    const { repositoryId, history } = candidate.live;
    if (seen.has(repositoryId)) continue;
    if (seen.size >= MOST_HISTORIES || checkpoint()) break;
    seen.add(repositoryId);
    const known = history();
    if (known !== undefined) past.set(repositoryId, pastCommits(known, asked));
  }
  return past;
}

type FieldsOfSegments = ReadonlyMap<LiveSegment, FieldScores>;

function scoreFields(
  segments: readonly LiveSegment[],
  terms: readonly RankTerm[],
  checkpoint: Checkpoint,
): FieldsOfSegments {
  const average = averageLength(segments);
  const fields = new Map<LiveSegment, FieldScores>();
  for (const live of segments) {
    if (checkpoint()) break;
    fields.set(live, fieldScores(live, terms, average));
  }
  return fields;
}

function collect(fieldsOf: FieldsOfSegments, mentions: readonly Mention[]): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [live, fields] of fieldsOf) {
    const exact = mentionsByDocument(live, mentions);
    for (const document of eachBit(live.documents, 0, live.segment.documents.count)) {
      const own = exact.get(document) ?? NONE;
      const [content, inPath] = [fields.content[document]!, fields.path[document]!];
      // Most documents hold none of the terms; nothing is made for those.
      if (content === 0 && inPath === 0 && own.length === 0) continue;
      const exactly = own.reduce((sum, mention) => sum + mention.score, 0);
      const signals: Signals = { content, path: inPath, exact: exactly, history: 0, recency: 0 };
      const path = live.path(document);
      candidates.push({ live, document, path, signals, fields, mentions: own, change: undefined });
    }
  }
  return candidates;
}

/** With what past commits say of them, and the files that those alone speak for. That one changed lately is not enough. */
function withPast(
  candidates: readonly Candidate[],
  fieldsOf: FieldsOfSegments,
  past: ReadonlyMap<RepositoryId, PastCommits>,
): Candidate[] {
  const known = new Map<LiveSegment, Set<number>>();
  const placed = candidates.map((candidate): Candidate => {
    const { live, document, path, signals } = candidate;
    known.set(live, (known.get(live) ?? new Set()).add(document));
    const commits = past.get(live.repositoryId);
    if (commits === undefined) return candidate;
    const change = commits.similar.get(path);
    const recency = commits.recency.get(path) ?? 0;
    return { ...candidate, change, signals: { ...signals, history: change?.score ?? 0, recency } };
  });
  for (const [live, fields] of fieldsOf) {
    const commits = past.get(live.repositoryId);
    for (const [path, change] of commits?.similar ?? []) {
      for (const document of documentsAt(live, path)) {
        if (known.get(live)?.has(document) === true) continue;
        const recency = commits?.recency.get(path) ?? 0;
        const signals: Signals = { content: 0, path: 0, exact: 0, history: change.score, recency };
        placed.push({ live, document, path, signals, fields, mentions: [], change });
      }
    }
  }
  return placed;
}

/** The documents of the default branch that lie at `path` by now. */
function documentsAt(live: LiveSegment, path: string): number[] {
  const renamed = [...live.renamed].flatMap(([document, now]) => (now === path ? [document] : []));
  return [...new Set([...live.segment.documents.find(path), ...renamed])].filter(
    (document) => hasBit(live.documents, document) && live.path(document) === path,
  );
}

function mentionsByDocument(live: LiveSegment, mentions: readonly Mention[]): Map<number, Mention[]> {
  const own = mentions.filter((mention) => mention.live === live);
  return Map.groupBy(own, (mention) => mention.document);
}

function rankOf({ live, document }: Candidate): number {
  return live.segment.documents.ranks[document]!;
}

function compare(a: Candidate, b: Candidate): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.live.repositoryId < b.live.repositoryId ? -1 : 1;
}

function rankedFile(
  { candidate, score, best }: Placed,
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
    // That a file changed lately tells two alike apart and is no reason by itself.
    reasons: inOrderOfShare(candidate.signals, best)
      .filter((signal) => signal !== 'recency')
      .map((signal) => reason(signal, candidate, terms)),
    spans: chooseSpans(text, terms, request.identifiers),
  };
}

const MOST_WORDS = 4;

function reason(
  signal: Signal,
  { fields, document, mentions, change }: Candidate,
  terms: readonly RankTerm[],
): string {
  if (signal === 'history') return `similar change: ${change?.subject} (${change?.id.slice(0, 7)})`;
  if (signal === 'exact')
    return [...new Set(mentions.map((mention) => mention.reason))].slice(0, MOST_WORDS).join(', ');
  const mask = (signal === 'content' ? fields.contentTerms : fields.pathTerms)[document]!;
  const words = terms.filter((_, bit) => (mask & (1 << bit)) !== 0).map((term) => term.word);
  return `${signal}: ${[...new Set(words)].slice(0, MOST_WORDS).join(', ')}`;
}
