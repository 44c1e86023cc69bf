import type { Question } from './questions.ts';

/** Lines of a file; all lines are 1-based. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

/** A place that a question asks for. Several ranges if the file has several definitions of one name. */
export interface Place {
  readonly repository: string;
  readonly path: string;
  readonly ranges: readonly Lines[];
  /** The lines of the file. */
  readonly text: readonly string[];
}

export interface Cited {
  readonly repository?: string | undefined;
  readonly path?: string | undefined;
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
  readonly title: string;
  readonly excerpt: string;
}

export interface Given {
  readonly answer: string;
  /** Best first. */
  readonly citations: readonly Cited[];
  /** What an agent reads. Default: the answer and the excerpts. */
  readonly text?: string | undefined;
  readonly confidence?: string | undefined;
  readonly notFound?: boolean | undefined;
}

export interface Score {
  /**
   * 3: the right place first and every fact; 2: the right place among the first five, or most facts; 1: its file among
   * them, or one fact; 0.
   */
  readonly points: 0 | 1 | 2 | 3;
  /** True if the right place comes first, and if it is among the first five. Absent if no place is right. */
  readonly first?: boolean;
  readonly five?: boolean;
  /** Number of facts in the evidence. */
  readonly facts: number;
  /** True if the first line states a place or a fact without a word of doubt. */
  readonly isSure: boolean;
  readonly isWrong: boolean;
  /** True if the answer says that there is no such thing. */
  readonly isNotFound: boolean;
  /** True if the answer calls itself likely. */
  readonly isLikely: boolean;
}

interface FoundPlace {
  readonly first: boolean;
  readonly five: boolean;
  /** True if its file is among the first five. */
  readonly file: boolean;
}

const shown = 5;
/** Characters of a line, without spaces, that are compared; shorter lines such as `end` say nothing. */
const [minCompared, maxCompared] = [6, 80];
/** Words with which the first line of an answer says that it may be wrong. */
const doubt =
  /\b(?:likely|possibl[ey]|weak|probably|perhaps|might|may be|not found|nearest|best match|look at|see the|fits .{1,20} best|surely)\b/i;
const nothing = /^[\s*_#>]*(?:not found|nothing)\b/i;
const statesPlace = /\[\d+\]|`[^`]+`|[\w./-]+\.\w+:\d+/;

/** Scores one answer. `places` are those of the question, in its order. */
export function scoreOf(question: Question, places: readonly Place[], given: Given): Score {
  const evidence = evidenceOf(question, given);
  const facts = question.facts.filter((fact) => says(evidence, fact)).length;
  const line = given.answer.split('\n').find((each) => each.trim() !== '') ?? '';
  const isNotFound = given.notFound === true || nothing.test(line);
  const statesFact = question.facts.some((fact) => says(line, fact));
  const isSure = !isNotFound && !doubt.test(line) && (statesPlace.test(line) || statesFact);
  const isLikely = given.confidence === 'likely' || /\blikely\b/i.test(line);
  const common = { facts, isSure, isLikely, isNotFound };
  if (places.length === 0) return { ...common, points: isNotFound ? 3 : 0, isWrong: isSure };

  const place = found(question, places, given, facts === question.facts.length);
  const { first, five } = place;
  const points = pointsOf(place, facts, question.facts.length);
  const isNear = question.kind === 'several' ? five : first;
  return { ...common, points, first, five, isWrong: isSure && !isNear && !statesFact };
}

/** Returns the text that may say the facts. The name of a person must be in the answer: many commits name people. */
function evidenceOf({ kind }: Question, { answer, citations, text }: Given): string {
  if (kind === 'who') return answer;
  return text ?? [answer, ...citations.map(({ title, excerpt }) => `${title}\n${excerpt}`)].join('\n');
}

function pointsOf({ first, five, file }: FoundPlace, facts: number, asked: number): Score['points'] {
  if (first && facts === asked) return 3;
  if (five || facts * 2 > asked) return 2;
  return file || facts > 0 ? 1 : 0;
}

function says(text: string, alternatives: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return alternatives.some((each) => lower.includes(each.toLowerCase()));
}

function found(
  { kind }: Question,
  places: readonly Place[],
  { citations }: Given,
  isSaid: boolean,
): FoundPlace {
  const cited = citations.filter(({ repository, path }) => repository !== undefined && path !== undefined);
  const best = cited.slice(0, shown);
  const file = best.some((one) => places.some((place) => isFile(one, place)));
  // The name of a person is the answer, whatever is cited.
  if (kind === 'who') return { first: isSaid, five: isSaid, file };
  if (kind === 'several') {
    const count = places.filter((place) => cited.some((one) => isPlace(one, place))).length;
    return { first: count === places.length, five: count * 2 >= places.length, file };
  }
  const at = best.findIndex((one) => places.some((place) => isPlace(one, place)));
  return { first: at === 0, five: at >= 0, file };
}

function isFile({ repository, path }: Cited, place: Place): boolean {
  return repository === place.repository && path === place.path;
}

/** Returns whether the cited lines overlap the place, and the excerpt shows one of its lines in both. */
function isPlace(cited: Cited, place: Place): boolean {
  const { startLine, endLine = startLine, excerpt } = cited;
  if (startLine === undefined || endLine === undefined || !isFile(cited, place)) return false;
  const shownText = withoutSpace(excerpt);
  return place.ranges.some(({ first, last }) => {
    const common = place.text
      .slice(Math.max(first, startLine) - 1, Math.min(last, endLine))
      .map((line) => withoutSpace(line).slice(0, maxCompared));
    const telling = common.filter((line) => line.length >= minCompared);
    return (telling.length > 0 ? telling : common).some((line) => line !== '' && shownText.includes(line));
  });
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, '');
}
