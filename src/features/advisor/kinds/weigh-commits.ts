import type { LineSpan } from '../../../backends/codesearch/port.ts';
import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import { questionWordsIn, wordsIn } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { readCommits } from '../evidence/past-commits.ts';
import type { PastCommit } from '../evidence/sources.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Target } from './target.ts';

/** Which commit of several that fit is asked for. */
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
/** Constants of BM25, and how often a word of the subject counts. */
const bm25 = { k1: 1.2, b: 0.5, subject: 2 } as const;
/** The points that the best file and the lines of a commit add to those of its message, of which the best one has 1. */
const weight = { file: 0.3, lines: 0.2 } as const;
/** The shares of the best score, and of its share of the question, from which the time decides, if the first or the last commit is asked for. */
const alike = { score: 0.85, share: 0.97 } as const;
/** Stems of words that ask for a change and say nothing of it: stop words of these questions. */
const asking = new Set(
  wordsIn(
    'commit commits change pull request pr merge merged patch release version history changelog author day date last first latest newest recent original introduce reason motivation rationale explain made make come came originally recently since appear longer',
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
  const places: readonly { readonly repository: string }[] = [...ranked.passages.best, ...ranked.files];
  const known = [...new Set(places.map(({ repository }) => repository))].flatMap(
    (id) => ranked.searched.find((one) => one.id === id) ?? [],
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
    .filter((word) => /^[\p{L}\p{N}]{2,40}$/u.test(word));
  const [said, touched] = await Promise.all([
    Promise.all(
      (beginnings.length === 0 ? [] : repositories).map((repository) =>
        readCommits(inquiry, repository, { path: '', words: beginnings.slice(0, max.words) }),
      ),
    ),
    Promise.all(
      places.map(({ repository, path, lines }) =>
        readCommits(inquiry, repository, { path, ...(lines === undefined ? {} : { lines }) }),
      ),
    ),
  ]);
  const found = new Map<string, { commit: PastCommit; lines: number }>();
  for (const { commits } of said)
    for (const commit of commits) found.set(keyOf(commit), { commit, lines: 0 });
  for (const [at, { commits }] of touched.entries())
    for (const commit of commits) {
      const known = found.get(keyOf(commit));
      const lines = Math.max(known?.lines ?? 0, 1 / (at + 1));
      found.set(keyOf(commit), { commit: known?.commit ?? commit, lines });
    }
  return await scored(inquiry, [...found.values()], words, order);
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
  candidates: readonly { readonly commit: PastCommit; readonly lines: number }[],
  words: readonly string[],
  order: Order,
): Promise<readonly WeighedCommit[]> {
  const pause = openPauses();
  const pairs = words.slice(1).flatMap((word, at) => [`${words[at]} ${word}`, `${word} ${words[at]}`]);
  const wanted = new Set([...words, ...pairs]);
  const counted: { readonly counts: ReadonlyMap<string, number>; readonly length: number }[] = [];
  const frequency = new Map<string, number>();
  for (const { commit } of candidates) {
    await pause();
    const one = countWords(commit, wanted);
    counted.push(one);
    for (const word of one.counts.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const number = candidates.length;
  const rarity = new Map(
    [...wanted].map((word) => {
      const count = frequency.get(word) ?? 0;
      return [word, Math.log(1 + (number - count + 0.5) / (count + 0.5))];
    }),
  );
  const total = words.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0);
  const mean = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, number);
  const rated = counted.map(({ counts, length }) => {
    const norm = bm25.k1 * (1 - bm25.b + (bm25.b * length) / Math.max(1, mean));
    let [text, shared] = [0, 0];
    for (const [word, count] of counts) {
      const rare = rarity.get(word) ?? 0;
      text += (rare * count * (bm25.k1 + 1)) / (count + norm);
      if (words.includes(word)) shared += rare;
    }
    return { text, share: total === 0 ? 0 : shared / total, words: [...counts.keys()] };
  });
  const best = Math.max(1e-9, ...rated.map(({ text }) => text));
  const most = Math.max(0, ...rated.map(({ share }) => share));
  const rateOf = fileRates(inquiry);
  const weighed = candidates.map(({ commit, lines }, at): WeighedCommit => {
    const { text = 0, share = 0, words: own = [] } = rated[at] ?? {};
    const file = Math.max(0, ...commit.paths.map((path) => rateOf(commit.repository.id, path)));
    const place = lines > 0 ? Math.max(file, lines) : file;
    // Many commits touch a file: a place counts by how much of the question the message says.
    const placed = most === 0 ? lines : (weight.file * place + weight.lines * lines) * (share / most);
    return {
      commit,
      share,
      words: own,
      isPlaced: place > 0,
      score: text / best + placed,
    };
  });
  return inOrder(
    weighed.toSorted((a, b) => b.score - a.score || b.commit.time - a.commit.time),
    order,
  );
}

/** Counts the words of a message that are asked for, and pairs of them, those of the subject twice, and all of its words. */
function countWords(
  { subject, body }: PastCommit,
  wanted: ReadonlySet<string>,
): { readonly counts: ReadonlyMap<string, number>; readonly length: number } {
  const counts = new Map<string, number>();
  let length = 0;
  let before = '';
  for (const [text, times] of [
    [subject, bm25.subject],
    [body, 1],
  ] as const)
    for (const word of [...stemsOf(text), ...versionsIn(text)]) {
      length += times;
      for (const one of [word, `${before} ${word}`])
        if (wanted.has(one)) counts.set(one, (counts.get(one) ?? 0) + times);
      before = word;
    }
  return { counts, length };
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
