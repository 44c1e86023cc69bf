import { eachTerm, wordsOf } from '../format/terms.ts';
import type { ShouldStop } from '../query/find-hits.ts';
import { byScore, type CoarseDocument, type CoarseSegment } from './coarse-scores.ts';
import { averageLength, k1 } from './field-scores.ts';
import { type FactorOf, type LaneValues, lanes, noValues, sharesOf } from './fuse.ts';
import { pathTerms } from './path-terms.ts';
import type { QuestionWords } from './question-words.ts';
import type { RankTerm } from './rank-terms.ts';
import { type CandidateText, readCandidate } from './read-candidate.ts';

/** A candidate with the values of its lanes. */
export interface FineDocument {
  readonly segment: CoarseSegment;
  readonly document: number;
  readonly path: string;
  readonly text: Buffer;
  readonly found: CandidateText;
  readonly values: LaneValues;
  /** The part of the score that each lane adds. */
  readonly shares: LaneValues;
  readonly score: number;
}

export interface FineQuestion {
  readonly terms: readonly RankTerm[];
  readonly words: QuestionWords;
  readonly area: string | undefined;
  readonly factorOf: FactorOf;
}

type Read = Omit<FineDocument, 'values' | 'shares' | 'score'> & {
  /** By term: its number of occurrences in definitions. */
  readonly defined: Uint32Array;
};

/** Maximum size of the texts that are read per question, in bytes. */
const maxBytes = 32 << 20;
const lengthNormalization = { content: 0.75, path: 0.5 } as const;
/** Weights of the parts of a document in which a term occurs, against one occurrence in its text. */
const weight = { definition: 2, path: 2, change: 4 } as const;

/**
 * Number of candidates that are read in any case, so that an answer for which no time is left has text. They take
 * milliseconds.
 */
const minRead = 10;

/**
 * Reads the candidates and orders them by all lanes. Those that cannot be read in time are left out: the result has as
 * many as were read, which are the first ones.
 */
export function fineScores(
  candidates: readonly CoarseDocument[],
  segments: readonly CoarseSegment[],
  question: FineQuestion,
  shouldStop: ShouldStop,
): FineDocument[] {
  const read = readAll(candidates, question, shouldStop);
  const rarity = wordRarity(read, segments, question);
  const average = averageLength(segments.map(({ live }) => live));
  const valued = read.map((one) => ({ one, values: valuesOf(one, question, rarity, average) }));
  const best = noValues();
  for (const { values } of valued) for (const lane of lanes) best[lane] = Math.max(best[lane], values[lane]);
  return valued
    .map(({ one, values }): FineDocument => {
      const shares = sharesOf(values, best);
      const total = lanes.reduce((sum, lane) => sum + shares[lane], 0);
      const score = total * question.factorOf(one.segment.live, one.document);
      return { ...one, values, shares, score };
    })
    .toSorted(byScore);
}

/** Returns a candidate that was not read, with a score below that of `last`. */
export function unreadDocument(candidate: CoarseDocument, last: FineDocument | undefined): FineDocument {
  const { segment, document } = candidate;
  const values = noValues();
  values.content = segment.fields.scores.content[document]!;
  values.path = segment.fields.scores.path[document]!;
  values.exact = segment.exact[document]!;
  values.history = segment.history[document]!;
  const score = (last?.score ?? 1) * (candidate.score / (candidate.score + 1));
  return { ...candidate, text: Buffer.alloc(0), found: noText, values, shares: values, score };
}

const noText: CandidateText = {
  counts: new Uint32Array(),
  words: new Uint32Array(),
  pairs: new Uint32Array(),
};

function readAll(
  candidates: readonly CoarseDocument[],
  { words, terms }: FineQuestion,
  shouldStop: ShouldStop,
): Read[] {
  const read: Read[] = [];
  let bytes = 0;
  for (const { segment, document, path } of candidates) {
    if (bytes > maxBytes || (read.length >= minRead && shouldStop())) break;
    const text = textOf(segment, document);
    bytes += text.length;
    const found = readCandidate(text, words);
    read.push({
      segment,
      document,
      path,
      text,
      found,
      defined: definedTerms(segment, document, words, terms),
    });
  }
  return read;
}

function textOf({ live: { segment } }: CoarseSegment, document: number): Buffer {
  const { firstUnit } = segment.documents;
  return segment.readUnits(firstUnit[document]!, firstUnit[document + 1]!);
}

function definedTerms(
  { live: { symbols } }: CoarseSegment,
  document: number,
  { termNumbers }: QuestionWords,
  terms: readonly RankTerm[],
): Uint32Array {
  const names = symbols.table.namesOf(document);
  const counts = new Uint32Array(terms.length);
  eachTerm(names, 0, names.length, (hash) => {
    const term = termNumbers.get(hash);
    if (term !== undefined) counts[term]! += 1;
  });
  return counts;
}

/**
 * Returns the rarity of each whole word. The index counts terms only: the share of the candidates with the term that
 * have the word applies to all documents with the term.
 */
function wordRarity(
  read: readonly Read[],
  segments: readonly CoarseSegment[],
  { words, terms }: FineQuestion,
): number[] {
  const documents = segments.reduce((sum, { live }) => sum + live.segment.documents.count, 0);
  return [...words.wordNumbers].map(([word, number]) => {
    const holding = read.filter(({ found }) => found.words[number]! > 0).length;
    const first = [...wordsOf(Buffer.from(word, 'latin1').toString()).keys()][0];
    const term = first === undefined ? undefined : words.termNumbers.get(first);
    const withTerm = term === undefined ? 0 : read.filter(({ found }) => found.counts[term]! > 0).length;
    const all = term === undefined ? 0 : frequencyOf(terms[term]!, documents);
    const frequency = withTerm === 0 ? holding : (holding * Math.max(all, withTerm)) / withTerm;
    return Math.log(1 + Math.max(0, documents - frequency + 0.5) / (frequency + 0.5));
  });
}

/** Returns the number of documents from which the weight of a term was computed. */
function frequencyOf({ contentWeight }: RankTerm, documents: number): number {
  return (documents + 1) / Math.exp(contentWeight) - 0.5;
}

function valuesOf(
  read: Read,
  { terms, words, area }: FineQuestion,
  wordRarities: readonly number[],
  average: number,
): LaneValues {
  const { segment, document, path, found } = read;
  const length = segment.live.segment.terms.lengths[document]! / average;
  const normal = 1 - lengthNormalization.content + lengthNormalization.content * length;
  const past = segment.past?.files.get(path);
  const inPath = pathTerms(path);
  const pathLength = [...inPath.values()].reduce((sum, count) => sum + count, 0) / averagePathLength;
  const pathNormal = 1 - lengthNormalization.path + lengthNormalization.path * pathLength;
  const values = noValues();
  terms.forEach((term, index) => {
    const rarity = term.contentWeight || term.pathWeight;
    const pathCount = inPath.get(term.path) ?? 0;
    const occurrences =
      (found.counts[index]! + weight.definition * read.defined[index]!) / normal +
      weight.path * pathCount +
      weight.change * (past?.described?.[index] ?? 0);
    const informative = segment.past?.informative[index] ?? 1;
    values.content += rarity * informative * saturated(occurrences, 1);
    values.path += term.pathWeight * saturated(pathCount, pathNormal);
  });
  found.words.forEach((count, word) => {
    values.words += wordRarities[word]! * saturated(count, normal);
  });
  found.pairs.forEach((count, pair) => {
    if (count === 0) return;
    const [a, b] = [terms[words.sequence[pair]!]!, terms[words.sequence[pair + 1]!]!];
    values.pairs += 0.5 * (a.contentWeight + b.contentWeight) * (1 + Math.log(count));
  });
  values.exact = segment.exact[document]!;
  values.history = past?.similar ?? 0;
  values.areaHistory = past?.area ?? 0;
  values.recency = segment.past?.recency(path) ?? 0;
  if (area !== undefined) values.area = shareOfArea(area, inPath);
  return values;
}

/** Number of terms that the paths of most projects have. */
const averagePathLength = 6;

function saturated(count: number, normal: number): number {
  return (count * (k1 + 1)) / (count + k1 * normal);
}

/** Returns the share of the area's terms that the path contains. */
function shareOfArea(area: string, inPath: ReadonlyMap<number, number>): number {
  const wanted = [...pathTerms(area).keys()];
  return wanted.length === 0 ? 0 : wanted.filter((term) => inPath.has(term)).length / wanted.length;
}
