import type { LineSpan } from '../../../backends/codesearch/port.ts';
import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import { questionWordsIn, wordsIn } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { readCommits } from '../evidence/past-commits.ts';
import type { PastCommit } from '../evidence/sources.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Target } from './target.ts';

/** The commit that is asked for, of several that fit. */
export type Order = 'last' | 'first' | 'any';

/** Lines of a file whose commits may be meant; all of the file without a span. */
export interface Place {
  readonly repository: SearchableRepository;
  readonly path: string;
  readonly lines?: LineSpan;
}

/** Returns the lines of a definition, or a whole file. */
export function placeOf({ repository, path, lines }: Target): Place {
  const span = lines === undefined ? {} : { lines: { startLine: lines.first, endLine: lines.last } };
  return { repository, path, ...span };
}

export interface WeighedCommit {
  readonly commit: PastCommit;
  /** Higher is better; comparable within one question. */
  readonly score: number;
  /** The share of the question's words that its message has, rare words counting more. */
  readonly share: number;
  /** The stems of the question that its message has. */
  readonly words: readonly string[];
  /** True if it touched the file of a ranked passage or the lines in question. */
  readonly isPlaced: boolean;
}

/** Numbers of repositories that are searched, of words, and of the ranked passages whose files count. */
const max = { repositories: 3, words: 40, passages: 12 } as const;
/** Constants of BM25. */
const bm25 = { k1: 1.2, b: 0.5 } as const;
/** The points that the best file and the lines of a commit add to those of its message, of which the best one has 1. */
const weight = { file: 0.3, lines: 0.2 } as const;
/** The shares of the best score, and of its share of the question, from which the time decides, if the first or the last commit is asked for. */
const alike = { score: 0.85, share: 0.97 } as const;
/** Stems of words that ask for a change and say nothing of it: stop words of these questions. */
const asking = new Set(
  wordsIn(
    'commit commits change pull request pr merge merged patch release version history changelog author day date last first latest newest recent original introduce reason motivation rationale explain made make come came originally recently since appear longer gone',
  ),
);

/** Stems of verbs of changes, by those that stand for the same change: a message may have another one than the question. */
export const verbs = new Map(
  [
    'add introduce implement',
    'remove drop delete',
    'fix correct repair resolve',
    'rename move',
    'replace switch migrate',
    'deprecate',
    'bump upgrade update raise increase',
    'revert',
  ]
    .map(wordsIn)
    .flatMap((same) => same.map((verb) => [verb, same] as const)),
);

/** Returns the stems of a text, with one stem for the verbs of the same change. */
export function stemsOf(text: string): readonly string[] {
  return wordsIn(text).map((stem) => verbs.get(stem)?.[0] ?? stem);
}

/** Returns the stems of the words of a question that a message of a commit may have, without names of repositories. */
export function changeWords({ question, ranked }: Inquiry): readonly string[] {
  const names = new Set(ranked.named.flatMap(({ name }) => wordsIn(name)));
  const said = questionWordsIn(question.head).filter(({ stems }) => !stems.every((stem) => asking.has(stem)));
  const words = [...new Set([...said.flatMap(({ word }) => stemsOf(word)), ...versionsIn(question.head)])];
  const rest = words.filter((word) => !names.has(word));
  return rest.length === 0 ? words : rest;
}

/** Returns numbers of versions, such as `3.7`. */
function versionsIn(text: string): readonly string[] {
  return text.match(/(?<![\w.])\d{1,6}(?:\.\d{1,6})+/gu) ?? [];
}

/** Returns the repositories whose history may hold the answer: those that the question names, or of the best passages. */
export function repositoriesOfHistory({ ranked }: Inquiry): readonly SearchableRepository[] {
  const known = ranked.searched.filter(({ id }) =>
    ranked.passages.best.some(({ repository }) => repository === id),
  );
  const found = ranked.named.length > 0 ? ranked.named : known;
  return (found.length > 0 ? found : ranked.searched).slice(0, max.repositories);
}

/**
 * Weighs the commits whose messages have words of a question and those of some places, best first: by the words of the
 * message (BM25 over stems), by the ranked files that they touched, and by the lines.
 */
export async function weighCommits(
  inquiry: Inquiry,
  repositories: readonly SearchableRepository[],
  places: readonly Place[],
  order: Order = 'any',
): Promise<readonly WeighedCommit[]> {
  const words = changeWords(inquiry);
  const beginnings = words
    .flatMap((word) => verbs.get(word) ?? [word])
    .map(beginningOf)
    .filter((word) => /^[\p{L}\p{N}]{2,40}$/u.test(word))
    .slice(0, max.words);
  const [said, touched] = await Promise.all([
    Promise.all(
      (beginnings.length === 0 ? [] : repositories).map((repository) =>
        readCommits(inquiry, repository, { path: '', words: beginnings }),
      ),
    ),
    Promise.all(places.map(({ repository, ...place }) => readCommits(inquiry, repository, place))),
  ]);
  const found = new Map<string, Candidate>();
  for (const commit of said.flatMap(({ commits }) => commits)) found.set(keyOf(commit), { commit, lines: 0 });
  for (const [at, { commits }] of touched.entries())
    for (const commit of commits) {
      const known = found.get(keyOf(commit));
      const lines = Math.max(known?.lines ?? 0, 1 / (at + 1));
      found.set(keyOf(commit), { commit: known?.commit ?? commit, lines });
    }
  return inOrder(await scored(inquiry, [...found.values()], words), order);
}

interface Candidate {
  readonly commit: PastCommit;
  /** The weight of the first of the places that it changed: 1 for the first one; 0 without any. */
  readonly lines: number;
}

function keyOf({ repository, id }: PastCommit): string {
  return `${repository.id}:${id}`;
}

/** Returns the beginning that a word shares with its other forms: `retr` of the stem `retri`. */
function beginningOf(stem: string): string {
  return stem.length > 4 && /[a-z][eiy]$/u.test(stem) ? stem.slice(0, -1) : stem;
}

async function scored(
  inquiry: Inquiry,
  candidates: readonly Candidate[],
  words: readonly string[],
): Promise<readonly WeighedCommit[]> {
  const pause = openPauses();
  const wanted = new Set(words);
  const counted: (Candidate & Counted)[] = [];
  const frequency = new Map<string, number>();
  for (const candidate of candidates) {
    await pause();
    const own = countWords(candidate.commit, wanted);
    counted.push({ ...candidate, ...own });
    for (const word of own.counts.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const rarityOf = (word: string): number => {
    const count = frequency.get(word) ?? 0;
    return Math.log(1 + (candidates.length - count + 0.5) / (count + 0.5));
  };
  const total = Math.max(1e-9, sum(words.map(rarityOf)));
  const mean = Math.max(1, sum(counted.map(({ length }) => length)) / Math.max(1, candidates.length));
  const rated = counted.map(({ counts, length, ...candidate }) => {
    const norm = bm25.k1 * (1 - bm25.b + (bm25.b * length) / mean);
    const said = [...counts].map(
      ([word, count]) => (rarityOf(word) * count * (bm25.k1 + 1)) / (count + norm),
    );
    const share = sum([...counts.keys()].map(rarityOf)) / total;
    return { ...candidate, text: sum(said), share, words: [...counts.keys()] };
  });
  const best = Math.max(1e-9, ...rated.map(({ text }) => text));
  const most = Math.max(0, ...rated.map(({ share }) => share));
  const rateOf = fileRates(inquiry);
  return rated
    .map(({ commit, lines, text, share, words: own }): WeighedCommit => {
      const file = Math.max(lines, ...commit.paths.map((path) => rateOf(commit.repository.id, path)));
      // Many commits touch a file: a place counts by how much of the question the message says.
      const placed = most === 0 ? lines : (weight.file * file + weight.lines * lines) * (share / most);
      return { commit, share, words: own, isPlaced: file > 0, score: text / best + placed };
    })
    .toSorted((a, b) => b.score - a.score || b.commit.time - a.commit.time);
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((a, b) => a + b, 0);
}

interface Counted {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Counts the words of a message that are asked for, those of the subject twice, and all of its words. */
function countWords({ subject, body }: PastCommit, wanted: ReadonlySet<string>): Counted {
  const counts = new Map<string, number>();
  const words = [subject, subject, body].flatMap((text) => [...stemsOf(text), ...versionsIn(text)]);
  for (const word of words) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: words.length };
}

/** Returns a function that rates a path, also of the past, by the rank of its best passage: 1 for the first file. */
function fileRates({ ranked }: Inquiry): (repository: string, path: string) => number {
  const rates = new Map<string, number>();
  for (const { repository, path } of ranked.passages.best.slice(0, max.passages)) {
    const key = `${repository}:${endOf(path)}`;
    if (!rates.has(key)) rates.set(key, 1 / Math.sqrt(rates.size + 1));
  }
  return (repository, path) => rates.get(`${repository}:${endOf(path)}`) ?? 0;
}

/** Returns the last folder and the name of a file: files move, but rarely change these. */
function endOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}

/** Puts the newest or oldest of the commits that fit about as well as the best one before it. */
function inOrder(weighed: readonly WeighedCommit[], order: Order): readonly WeighedCommit[] {
  const [best] = weighed;
  if (order === 'any' || best === undefined) return weighed;
  const sign = order === 'last' ? -1 : 1;
  const near = weighed
    .filter(({ score, share }) => score >= best.score * alike.score && share >= best.share * alike.share)
    .toSorted((a, b) => sign * (a.commit.time - b.commit.time));
  return [...near, ...weighed.filter((one) => !near.includes(one))];
}
