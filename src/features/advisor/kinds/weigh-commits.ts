import { historyLimits } from '../../../backends/codesearch/port.ts';
import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import { questionWordsIn, wordsIn } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { historyOf } from '../evidence/past-commits.ts';
import type { PastCommit } from '../evidence/sources.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { withoutPeriod } from '../question/period.ts';

/** The commit that is asked for, of several that fit. */
export type Order = 'last' | 'first' | 'any';

/** Stems of words that ask for an end of a history: what was removed or renamed ends with that. */
const ends = {
  last: new Set(wordsIn('last latest newest recent gone remove delete drop rename')),
  first: new Set(wordsIn('first introduce added originally created appear')),
};

/** Returns which end of a history a question asks for. */
export function orderOf(head: string): Order {
  // In lower case, a name such as `lastChange` is one word.
  const text = head.toLowerCase();
  const words = wordsIn(text);
  if (words.some((word) => ends.last.has(word))) return 'last';
  return text.includes('since when') || words.some((word) => ends.first.has(word)) ? 'first' : 'any';
}

export interface WeighedCommit {
  readonly commit: PastCommit;
  /** Higher is better; comparable within one question. */
  readonly score: number;
  /** The share of the question's words that its message has, rare words counting more. */
  readonly share: number;
  /** True if it touched a file in question. */
  readonly isPlaced: boolean;
}

/** Numbers of repositories that are searched, of words, and of the ranked passages whose files count. */
const max = { repositories: 3, words: 40, passages: 12 } as const;
/** The points that the best file adds to a message with all words, which has 1 if they are in its subject. */
const fileWeight = 0.4;
/**
 * The shares of the best score, and of the best share of the question, from which commits count as equal and their time
 * decides.
 */
const alike = { score: 0.85, share: 0.97 } as const;
/** Stems of words that ask for a change and say nothing of it: stop words of these questions. */
const asking = new Set(
  wordsIn(
    'commit commits change pull request pr merge merged patch release version history changelog author day date last first latest newest recent original introduce reason motivation rationale explain made make come came originally recently since appear longer gone',
  ),
);

/**
 * Stems of verbs of changes, by those that stand for the same change: a message may have another one than the question.
 */
const verbs = new Map(
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
function stemsOf(text: string): readonly string[] {
  return wordsIn(text).map((stem) => verbs.get(stem)?.[0] ?? stem);
}

/** Returns whether a text has a verb for each change that a question names, and whether it names one. */
export function saysChange(question: string, text: string): { readonly all: boolean; readonly any: boolean } {
  const asked = stemsOf(question).filter((stem) => verbs.has(stem));
  const said = new Set(stemsOf(text));
  return { all: asked.every((verb) => said.has(verb)), any: asked.some((verb) => said.has(verb)) };
}

/** Returns the stems of the words of a question that a message of a commit may have, without names of repositories. */
function changeWords({ question, ranked }: Inquiry): readonly string[] {
  const names = new Set(ranked.named.flatMap(({ name }) => wordsIn(name)));
  const said = questionWordsIn(withoutPeriod(question.head)).filter(
    ({ stems }) => !stems.every((stem) => asking.has(stem)),
  );
  const words = [...new Set([...said.flatMap(({ word }) => stemsOf(word)), ...versionsIn(question.head)])];
  const rest = words.filter((word) => !names.has(word));
  return rest.length === 0 ? words : rest;
}

/** Returns numbers of versions, such as `3.7`. */
function versionsIn(text: string): readonly string[] {
  return text.match(/(?<![\w.])\d{1,6}(?:\.\d{1,6})+/gu) ?? [];
}

/** Returns whether a question says nothing besides the name and place of something. */
export function saysNoMore(inquiry: Inquiry, ...names: readonly string[]): boolean {
  const own = new Set(wordsIn(names.join(' ')));
  const kinds = new Set(
    wordsIn('add added create touch appear exist argument file class function method module option type'),
  );
  return changeWords(inquiry).every(
    (word) => own.has(word) || kinds.has(word) || !Number.isNaN(Number.parseInt(word, 10)),
  );
}

/**
 * Returns the repositories whose history may hold the answer: those that the question names, or of the best passages.
 */
export function repositoriesOfHistory({ ranked }: Inquiry): readonly SearchableRepository[] {
  const known = ranked.searched.filter(({ id }) =>
    ranked.passages.best.some(({ repository }) => repository === id),
  );
  const found = ranked.named.length > 0 ? ranked.named : known;
  return (found.length > 0 ? found : ranked.searched).slice(0, max.repositories);
}

/**
 * Weighs the commits whose messages have words of a question, best first: by these words, rare ones and those of the
 * subject counting more, and by the files that they touched: those of the targets, or else of the ranked passages.
 */
export async function weighCommits(
  inquiry: Inquiry,
  repositories: readonly SearchableRepository[],
  targets: readonly Target[],
  order: Order = 'any',
): Promise<readonly WeighedCommit[]> {
  const words = changeWords(inquiry);
  const beginnings = words
    .flatMap((word) => verbs.get(word) ?? [word])
    .map(beginningOf)
    .filter((word) => /^[\p{L}\p{N}]{2,40}$/u.test(word))
    .slice(0, max.words);
  if (beginnings.length === 0) return [];
  const asked = { said: beginnings, max: historyLimits.said, ...inquiry.question.period };
  const past = await Promise.all(repositories.map((one) => historyOf(inquiry, one, asked)));
  const commits = past.flatMap((one) => one.commits);
  return inOrder(await scored(commits, words, fileRates(inquiry, targets)), order);
}

/** Returns the beginning that a word shares with its other forms: `retr` of the stem `retri`. */
function beginningOf(stem: string): string {
  return stem.length > 4 && 'eiy'.includes(stem.at(-1)!) ? stem.slice(0, -1) : stem;
}

async function scored(
  commits: readonly PastCommit[],
  words: readonly string[],
  rateOf: (commit: PastCommit) => number,
): Promise<readonly WeighedCommit[]> {
  const pause = openPauses();
  const said: { readonly commit: PastCommit; readonly subject: Said; readonly whole: Said }[] = [];
  for (const commit of commits) {
    await pause();
    const { subject, body } = commit;
    said.push({ commit, subject: wordsOf(subject), whole: wordsOf(`${subject}\n${body}`) });
  }
  // Without two more, all words of the only commit would be common ones.
  const all = commits.length + 2;
  const rarity = new Map(
    words.map((word) => {
      const count = said.filter(({ whole }) => whole.has(word)).length;
      return [word, Math.log(1 + (all - count + 0.5) / (count + 0.5))];
    }),
  );
  const sum = (some: Iterable<string>): number =>
    [...some].reduce((total, word) => total + rarity.get(word)!, 0);
  const total = sum(words);
  return said
    .map(({ commit, subject, whole }): WeighedCommit => {
      const own = words.filter((word) => whole.has(word));
      const share = sum(own) / total;
      const file = rateOf(commit);
      // Many commits touch a file: it counts by how much of the question the message says.
      const text = (share + sum(words.filter((word) => subject.has(word))) / total) / 2;
      return { commit, share, isPlaced: file > 0, score: text + fileWeight * file * share };
    })
    .toSorted((a, b) => b.score - a.score || b.commit.time - a.commit.time);
}

type Said = ReadonlySet<string>;

function wordsOf(text: string): Said {
  return new Set([...stemsOf(text), ...versionsIn(text)]);
}

/**
 * Returns a function that rates a commit by the first file in question that it touched, also of the past: 1 for the
 * first one.
 */
function fileRates({ ranked }: Inquiry, targets: readonly Target[]): (commit: PastCommit) => number {
  const named = targets.filter(({ isNamed }) => isNamed);
  const places =
    named.length > 0
      ? named.map(({ repository, path }) => `${repository.id}:${endOf(path)}`)
      : ranked.passages.best
          .slice(0, max.passages)
          .map(({ repository, path }) => `${repository}:${endOf(path)}`);
  const order = [...new Set(places)];
  return ({ repository, paths }) => {
    const touched = new Set(paths.map((path) => `${repository.id}:${endOf(path)}`));
    const at = order.findIndex((place) => touched.has(place));
    return at < 0 ? 0 : 1 / Math.sqrt(at + 1);
  };
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
