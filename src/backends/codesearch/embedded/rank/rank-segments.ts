import { type FileOfPassages, rankedPassages } from '../../passages/ranked-passages.ts';
import { maxFilesWithText, type RankedFile, type RankRequest, type RankResult } from '../../port.ts';
import { chooseSpans, type ReadFile, type SpanQuestion } from '../../spans/choose-spans.ts';
import type { SearchRun } from '../query/find-hits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { addPastCommits, bestDocuments, coarseScores } from './coarse-scores.ts';
import { exactMentions } from './exact-mentions.ts';
import { classOfDocument } from './file-classes.ts';
import { type FineDocument, fineScores, minRead, unreadDocument } from './fine-scores.ts';
import { factorsOf } from './fuse.ts';
import { readQuestionWords } from './question-words.ts';
import { type RankTerm, rankTerms } from './rank-terms.ts';
import { readForSpans } from './read-for-spans.ts';
import { reasonsOf } from './reasons.ts';

/** Minimum number of candidates whose text is read. */
const minCandidates = 150;

/** Shares of the time after which a step ends, so that every later one can still add to what was found. */
const shares = { mentions: 0.4, tables: 0.7, history: 0.8, texts: 0.9 } as const;

/**
 * Ranks the files that match the question over all segments in range, best first: the tables of the index choose the
 * candidates, and their texts decide. A ranking whose time is used up is partial: its first candidates are read, and the
 * others follow in the order of the tables.
 */
export function rankSegments(
  request: RankRequest,
  segments: readonly LiveSegment[],
  run: SearchRun,
): RankResult {
  const { area } = request;
  let isPartial = false;
  const stopAt = (share?: number) => () => {
    const stops = run.shouldStop(share);
    isPartial ||= stops;
    return stops;
  };
  const terms = rankTerms(request, segments);
  const { mentions, unmatched } = exactMentions(request, segments, {
    ...run,
    shouldStop: stopAt(shares.mentions),
  });
  const factorOf = factorsOf(request);
  const scored = coarseScores(segments, terms, mentions, stopAt(shares.tables));
  addPastCommits(
    scored,
    terms.filter(({ isRelated }) => !isRelated),
    { area, factorOf },
    stopAt(shares.history),
  );
  const candidates = bestDocuments(scored, Math.max(minCandidates, request.limit), factorOf);
  const words = readQuestionWords(request, terms);
  const fine = fineScores(candidates, scored, { terms, words, area, factorOf }, stopAt(shares.texts));
  const read = withSpans(fine.slice(0, request.limit), request, terms, stopAt());
  const passages = passagesOf(fine, request, terms, stopAt());
  if (!isPartial) return { files: read, unmatched, ...passages };
  const unread = candidates.slice(fine.length).map((document) => unreadDocument(document, fine.at(-1)));
  const rest = unread.map((document) => ({ ...fileOf(document, terms), spans: [], definitions: [] }));
  return { files: [...read, ...rest].slice(0, request.limit), unmatched: [], partial: true, ...passages };
}

/**
 * Ranks the passages of the files that were read, if the request has a question. When the time is used up, only those of
 * the first `minRead` files.
 */
function passagesOf(
  ranked: readonly FineDocument[],
  { question, ...request }: RankRequest,
  terms: readonly RankTerm[],
  shouldStop: () => boolean,
): Pick<RankResult, 'passages'> {
  if (question === undefined) return {};
  function* files(): Generator<FileOfPassages> {
    for (const [read, document] of ranked.entries()) {
      if (read >= minRead && shouldStop()) return;
      const { segment, text } = document;
      const definitions = segment.live.symbols.table.of(document.document);
      yield { file: fileOf(document, terms), text, definitions };
    }
  }
  return { passages: rankedPassages(files(), { ...request, question }) };
}

/** Adds spans to the first files. When the time is used up, only the first `minRead` get them. */
function withSpans(
  ranked: readonly FineDocument[],
  request: RankRequest,
  terms: readonly RankTerm[],
  shouldStop: () => boolean,
): RankedFile[] {
  const read: ReadFile[] = [];
  for (const document of ranked.slice(0, maxFilesWithText)) {
    if (read.length >= minRead && shouldStop()) break;
    read.push(readForSpans(document, fileOf(document, terms), request));
  }
  const question: SpanQuestion = {
    weights: terms.map(({ contentWeight }) => contentWeight),
    names: request.identifiers,
  };
  const rest = ranked.slice(read.length);
  return [
    ...chooseSpans(read, question, (done) => done >= minRead && shouldStop()),
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
