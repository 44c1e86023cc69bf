import { fileClassOf } from '../../file-class.ts';
import { languageOf } from '../../language.ts';
import type { History } from '../format/history-file.ts';
import { wordsOf } from '../format/terms.ts';

/** The parts of a history that rankings use, computed once for all questions. */
export interface PreparedHistory {
  readonly paths: readonly string[];
  readonly commits: readonly PreparedCommit[];
  /** By path: how often and how recently it was changed, as ln(1 + sum of e^(-age/100) / sqrt(files)). */
  readonly recency: Float64Array;
  /** By path: the weighted number of words that the subjects of its changes have. */
  readonly words: Float64Array;
  readonly averageWords: number;
  readonly averageTerms: number;
}

export interface PreparedCommit {
  readonly id: string;
  readonly subject: string;
  /** Distinct terms of the subject, and of the whole message. */
  readonly subjectTerms: Uint32Array;
  readonly terms: Uint32Array;
  /** Numbers of the paths. */
  readonly touched: Uint32Array;
  /** Square root of the number of code files that it touched. */
  readonly spread: number;
  /** The part of the product that the subject begins with, in lower case. */
  readonly area: string | undefined;
}

/** Maximum number of files of a commit whose subject describes them. */
const maxDescribed = 30;
/** Number of commits after which a change counts 1/e. */
const decay = { recency: 100, words: 2000 } as const;

const prepared = new WeakMap<History, PreparedHistory>();

export function prepareHistory(history: History): PreparedHistory {
  const known = prepared.get(history);
  if (known !== undefined) return known;
  const made = prepare(history);
  prepared.set(history, made);
  return made;
}

function prepare({ commits }: History): PreparedHistory {
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
  const all = commits.map(({ id, subject, terms, paths }): PreparedCommit => {
    const touched = Uint32Array.from(paths, numberOf);
    const code = touched.filter((number) => isCode[number]).length;
    const subjectTerms = Uint32Array.from(wordsOf(subject).keys());
    return {
      id,
      subject,
      subjectTerms,
      terms,
      touched,
      spread: Math.sqrt(Math.max(1, code)),
      area: areaOf(subject),
    };
  });
  const recency = new Float64Array(numbers.size);
  const words = new Float64Array(numbers.size);
  all.forEach(({ touched, spread, subjectTerms }, age) => {
    for (const path of touched) {
      recency[path]! += Math.exp(-age / decay.recency) / spread;
      if (touched.length <= maxDescribed)
        words[path]! += (Math.exp(-age / decay.words) / spread) * subjectTerms.length;
    }
  });
  return {
    paths: [...numbers.keys()],
    commits: all,
    recency: recency.map((value) => Math.log(1 + value)),
    words,
    averageWords: Math.max(Number.EPSILON, meanOf(words)),
    averageTerms: Math.max(1, meanOf(all.map(({ terms }) => terms.length))),
  };
}

/** Returns the share that a commit's subject counts for its files; 0 if it touched too many. */
export function describedShare({ touched, spread }: PreparedCommit, age: number): number {
  return touched.length > maxDescribed ? 0 : Math.exp(-age / decay.words) / spread;
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
