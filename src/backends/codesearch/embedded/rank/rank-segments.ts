import { maxFilesWithText, type RankedFile, type RankRequest, type RankResult } from '../../port.ts';
import { chooseSpans, type ReadFile, type SpanQuestion } from '../../spans/choose-spans.ts';
import type { SearchRun } from '../query/find-hits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { addPastCommits, bestDocuments, coarseScores } from './coarse-scores.ts';
import { exactMentions } from './exact-mentions.ts';
import { classOfDocument } from './file-classes.ts';
import { type FineDocument, fineScores } from './fine-scores.ts';
import { factorsOf } from './fuse.ts';
import { readQuestionWords } from './question-words.ts';
import { type RankTerm, rankTerms } from './rank-terms.ts';
import { readForSpans } from './read-for-spans.ts';
import { reasonsOf } from './reasons.ts';

/** Minimum number of candidates whose text is read. */
const minCandidates = 150;

/**
 * Ranks the files that match the question over all segments in range, best first: the tables of the index choose the
 * candidates, and their texts decide.
 */
export function rankSegments(
  request: RankRequest,
  segments: readonly LiveSegment[],
  run: SearchRun,
): RankResult {
  const { shouldStop } = run;
  const { area } = request;
  const terms = rankTerms(request, segments);
  const { mentions, unmatched } = exactMentions(request, segments, run);
  const factorOf = factorsOf(request);
  const scored = coarseScores(segments, terms, mentions, shouldStop);
  addPastCommits(
    scored,
    terms.filter(({ isRelated }) => !isRelated),
    { area, factorOf },
    shouldStop,
  );
  const candidates = bestDocuments(scored, Math.max(minCandidates, request.limit), factorOf);
  const words = readQuestionWords(request, terms);
  const fine = fineScores(candidates, scored, { terms, words, area, factorOf }, shouldStop);
  const files = withSpans(fine.slice(0, request.limit), request, terms, shouldStop);
  return {
    files,
    unmatched: shouldStop() ? [] : unmatched,
    ...(shouldStop() ? { incomplete: 'deadline' } : {}),
  };
}

/** Adds spans to the first files. After the deadline, files are returned without them. */
function withSpans(
  ranked: readonly FineDocument[],
  request: RankRequest,
  terms: readonly RankTerm[],
  shouldStop: () => boolean,
): RankedFile[] {
  const read: ReadFile[] = [];
  for (const document of ranked.slice(0, maxFilesWithText)) {
    if (shouldStop()) break;
    read.push(readForSpans(document, fileOf(document, terms), request));
  }
  const question: SpanQuestion = {
    weights: terms.map(({ contentWeight }) => contentWeight),
    names: request.identifiers,
  };
  const rest = ranked.slice(read.length);
  return [
    ...chooseSpans(read, question, shouldStop),
    ...rest.map((document) => ({ ...fileOf(document, terms), spans: [], definitions: [] })),
  ];
}

function fileOf(ranked: FineDocument, terms: readonly RankTerm[]): ReadFile['file'] {
  const { segment, document, path, score } = ranked;
  const { repositoryId, commit } = segment.live;
  return {
    repository: repositoryId,
    commit,
    path,
    language: segment.live.segment.documents.language(document),
    fileClass: classOfDocument(segment.live, document),
    score,
    reasons: reasonsOf(ranked, terms),
  };
}
