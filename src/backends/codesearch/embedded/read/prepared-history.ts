import { lowerBound } from '../../../../foundation/kernel/lower-bound.ts';
import { languageOf } from '../../../languages/port.ts';
import { fileClassOf } from '../../file-class.ts';
import type { History } from '../format/history-file.ts';
import { wordsOf } from '../format/terms.ts';

/**
 * The parts of a history that rankings use, computed once for all questions. Commits are numbered by age, paths in any
 * order. Columns take less memory than an object for each commit.
 */
export interface PreparedHistory {
  /** Number of commits. */
  readonly count: number;
  readonly paths: readonly string[];
  /** The number of each path. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The commits that have each term in their message, and in their subject. */
  readonly said: CommitsByTerm;
  readonly saidInSubject: CommitsByTerm;
  /** By commit: the number of distinct terms of its message. */
  readonly lengths: Uint32Array;
  /** By commit: the numbers of the paths that it touched. */
  readonly touched: Lists;
  /** By commit: the square root of the number of code files that it touched. */
  readonly spread: Float64Array;
  /** By commit: the part of the product that its subject begins with, in lower case. */
  readonly areas: readonly (string | undefined)[];
  readonly commit: (age: number) => { readonly id: string; readonly subject: string };
  /** By path: how often and how recently it was changed, as ln(1 + sum of e^(-age/100) / sqrt(files)). */
  readonly recency: Float64Array;
  /** By path: the weighted number of words that the subjects of its changes have. */
  readonly words: Float64Array;
  readonly averageWords: number;
  readonly averageTerms: number;
  /** Approximate size in memory. */
  readonly bytes: number;
}

/** Lists of numbers, one after the other: list `at` is `values` from `starts[at]` up to `starts[at + 1]`. */
interface Lists {
  readonly values: Uint32Array;
  readonly starts: Uint32Array;
}

/** The ages of the commits with each term, in ascending order. */
interface CommitsByTerm {
  /** Hashes, in ascending order. */
  readonly terms: Uint32Array;
  /** By term: the ages. */
  readonly ages: Lists;
}

/** Returns the ages of the commits with a term, newest first. */
export function commitsWith({ terms, ages: { values, starts } }: CommitsByTerm, term: number): Uint32Array {
  const at = lowerBound(terms.length, (index) => terms[index]! >= term);
  return terms[at] === term ? values.subarray(starts[at], starts[at + 1]) : values.subarray(0, 0);
}

/** More than the maximum age; a number holds a hash times it, plus an age, exactly. */
const maxAge = 2 ** 20;

/** Returns the commits by term, given the distinct terms of each commit. */
function commitsByTerm(lists: readonly ArrayLike<number>[]): CommitsByTerm {
  const pairs = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const [age, terms] of lists.entries())
    for (let at = 0; at < terms.length; at++) pairs[end++] = terms[at]! * maxAge + age;
  // A sort of numbers takes a fraction of one with a comparison.
  pairs.sort();
  const terms = new Uint32Array(pairs.length);
  const starts = new Uint32Array(pairs.length + 1);
  const values = new Uint32Array(pairs.length);
  let count = 0;
  for (let at = 0; at < pairs.length; at++) {
    const term = Math.floor(pairs[at]! / maxAge);
    values[at] = pairs[at]! - term * maxAge;
    if (count > 0 && terms[count - 1] === term) continue;
    terms[count] = term;
    starts[count] = at;
    count += 1;
  }
  starts[count] = pairs.length;
  return { terms: terms.slice(0, count), ages: { values, starts: starts.slice(0, count + 1) } };
}

function listsOf(lists: readonly ArrayLike<number>[]): Lists {
  const starts = new Uint32Array(lists.length + 1);
  lists.forEach((list, at) => {
    starts[at + 1] = starts[at]! + list.length;
  });
  const values = new Uint32Array(starts[lists.length]!);
  lists.forEach((list, at) => values.set(list, starts[at]));
  return { values, starts };
}

function lengthOf({ starts }: Lists, at: number): number {
  return starts[at + 1]! - starts[at]!;
}

/** Calls `visit` with each number of the list `at`. */
export function eachOf({ values, starts }: Lists, at: number, visit: (value: number) => void): void {
  for (let index = starts[at]!; index < starts[at + 1]!; index++) visit(values[index]!);
}

/** Maximum number of files of a commit whose subject describes them. */
const maxDescribed = 30;
/** Number of commits after which a change counts 1/e. */
const decay = { recency: 100, words: 2000 } as const;

/** Approximate memory of a path besides its letters, and of a fixed part of a history, in bytes. */
const overhead = { path: 80, history: 4096 } as const;

export function prepareHistory({ commits }: History): PreparedHistory {
  const numbers = new Map<string, number>();
  const isCode: boolean[] = [];
  const numberOf = (path: string): number => {
    const number = numbers.get(path) ?? numbers.size;
    if (number === numbers.size) {
      numbers.set(path, number);
      isCode.push(isCodePath(path));
    }
    return number;
  };
  const touched = listsOf(commits.map(({ paths }) => paths.map(numberOf)));
  const said = commitsByTerm(commits.map(({ terms }) => terms));
  const inSubjects = commits.map(({ subject }) => [...wordsOf(subject).keys()]);
  const saidInSubject = commitsByTerm(inSubjects);
  const lengths = Uint32Array.from(commits, ({ terms }) => terms.length);
  const spread = Float64Array.from(commits, ({ paths }) => {
    const code = paths.filter((path) => isCode[numbers.get(path)!]).length;
    return Math.sqrt(Math.max(1, code));
  });
  const areas = sharedTexts(commits.map(({ subject }) => areaOf(subject)));
  const recency = new Float64Array(numbers.size);
  const words = new Float64Array(numbers.size);
  for (let age = 0; age < commits.length; age++) {
    const share = describedShare({ touched, spread }, age);
    eachOf(touched, age, (path) => {
      recency[path]! += Math.exp(-age / decay.recency) / spread[age]!;
      words[path]! += share * inSubjects[age]!.length;
    });
  }
  const paths = [...numbers.keys()];
  const known = { paths, numbers, said, saidInSubject, lengths, touched, spread, areas, words };
  const texts = textsOf(commits);
  const byTerm = [said, saidInSubject].flatMap(({ terms, ages }) => [terms, ages.values, ages.starts]);
  return {
    ...known,
    count: commits.length,
    commit: texts.commit,
    recency: recency.map((value) => Math.log(1 + value)),
    averageWords: Math.max(Number.EPSILON, meanOf(words)),
    averageTerms: Math.max(1, meanOf(lengths)),
    bytes:
      overhead.history +
      texts.bytes +
      8 * areas.length +
      sizeOf(...byTerm, touched.values, touched.starts, lengths, spread, recency, words) +
      paths.reduce((sum, path) => sum + overhead.path + path.length, 0),
  };
}

function sizeOf(...columns: readonly ArrayBufferView[]): number {
  return columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Returns the ids and subjects in one buffer, because 2,000 short texts take several times their letters. */
function textsOf(commits: History['commits']): Pick<PreparedHistory, 'commit' | 'bytes'> {
  const texts = commits.flatMap(({ id, subject }) => [Buffer.from(id), Buffer.from(subject)]);
  const bytes = Buffer.concat(texts);
  let end = 0;
  const ends = Uint32Array.from(texts, ({ length }) => (end += length));
  const textAt = (at: number): string => bytes.toString('utf8', ends[at - 1] ?? 0, ends[at]);
  return {
    commit: (age) => ({ id: textAt(2 * age), subject: textAt(2 * age + 1) }),
    bytes: bytes.length + ends.byteLength,
  };
}

/** Returns the texts, equal ones as one object. */
function sharedTexts(texts: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const known = new Map(texts.map((text) => [text, text]));
  return texts.map((text) => known.get(text));
}

/** Returns the share that a commit's subject counts for its files; 0 if it touched too many. */
export function describedShare(
  { touched, spread }: Pick<PreparedHistory, 'touched' | 'spread'>,
  age: number,
): number {
  return lengthOf(touched, age) > maxDescribed ? 0 : Math.exp(-age / decay.words) / spread[age]!;
}

function isCodePath(path: string): boolean {
  const found = fileClassOf(path, languageOf(path));
  return found === 'source' || found === 'example';
}

const changeKinds = /^(?:feat|feature|fix|bug|docs?|style|refactor|perf|tests?|build|ci|chore|revert)$/;

function areaOf(subject: string): string | undefined {
  const [, prefix = '', inBrackets] =
    /^([\w./-]{2,40})(?:\(([\w ,./-]{2,60})\))?!?: /.exec(subject.toLowerCase()) ?? [];
  if (inBrackets !== undefined) return inBrackets;
  return prefix === '' || changeKinds.test(prefix) ? undefined : prefix;
}

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index]!;
  return sum / Math.max(1, values.length);
}
