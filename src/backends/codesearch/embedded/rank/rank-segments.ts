import { type FileOfPassages, filesToRead, rankedPassages } from '../../passages/ranked-passages.ts';
import type { RankedFile, RankedPassages, RankRequest, RankResult } from '../../port.ts';
import type { SearchRun } from '../query/find-hits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { addPastCommits, bestDocuments, coarseScores, withEveryRepository } from './coarse-scores.ts';
import { exactMentions } from './exact-mentions.ts';
import { classOfDocument } from './file-classes.ts';
import { type FineDocument, fineScores, unreadDocument } from './fine-scores.ts';
import { factorsOf } from './fuse.ts';
import { readQuestionWords } from './question-words.ts';
import { type RankTerm, rankTerms } from './rank-terms.ts';
import { reasonsOf } from './reasons.ts';

/** Minimum number of candidates whose text is read. */
const minCandidates = 80;

/** Shares of the time after which a step ends, so that every later one can still add to what was found. */
const shares = { mentions: 0.4, tables: 0.7, history: 0.8, texts: 0.9 } as const;

/**
 * Ranks the files that match the question over all segments in range, best first: the tables of the index choose the
 * candidates, and their texts decide. A ranking whose time is used up is partial: its first candidates are read, and
 * the others follow in the order of the tables.
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
  addPastCommits(scored, terms, { area, factorOf }, stopAt(shares.history));
  const max = Math.max(minCandidates, request.limit);
  const candidates =
    request.everyRepository === true
      ? withEveryRepository(scored, max, factorOf)
      : bestDocuments(scored, max, factorOf);
  const words = readQuestionWords(request, terms);
  const fine = fineScores(candidates, scored, { terms, words, area, factorOf }, stopAt(shares.texts));
  const files = fine.map((document) => fileOf(document, terms)).slice(0, request.limit);
  const passages = passagesOf(fine, request, terms, stopAt());
  if (!isPartial) return { files, passages, unmatched };
  const unread = candidates.slice(fine.length).map((document) => unreadDocument(document, fine.at(-1)));
  const rest = unread.map((document) => fileOf(document, terms));
  return { files: [...files, ...rest].slice(0, request.limit), passages, unmatched: [], partial: true };
}

/** Ranks the passages of the files that were read, in the time that is left. */
function passagesOf(
  ranked: readonly FineDocument[],
  request: RankRequest,
  terms: readonly RankTerm[],
  shouldStop: () => boolean,
): RankedPassages {
  const chosen = filesToRead(ranked, request, ({ segment: { live }, document, text }) => ({
    repository: live.repositoryId,
    fileClass: classOfDocument(live, document),
    bytes: text.length,
  }));
  const files = chosen.map((one): FileOfPassages => {
    const { segment, document, text, score } = one;
    const share = score / Math.max(ranked[0]!.score, Number.EPSILON);
    return { file: fileOf(one, terms), share, text, definitions: segment.live.symbols.table.of(document) };
  });
  return rankedPassages(files, request, shouldStop);
}

function fileOf(ranked: FineDocument, terms: readonly RankTerm[]): RankedFile {
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
