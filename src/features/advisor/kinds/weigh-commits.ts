import { historyLimits } from '../../../backends/codesearch/port.ts';
import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import { questionWordsIn, wordsIn } from '../../../foundation/kernel/text/words.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { historyOf } from '../evidence/past-commits.ts';
import type { PastCommit } from '../evidence/sources.ts';
import type { Inquiry } from '../inquiry.ts';
import { kindPattern } from '../question/prompt/read-prompt.ts';

/** Match questions for an end of a history: what was removed or renamed ends with that. */
export const asks = {
  removal: /\b(?:gone|remov|delet|drop|renam)/iu,
  last: /\b(?:last|latest|newest|recent(?:ly)?)\b/iu,
  first: /\b(?:first|introduc\w*|added|original(?:ly)?|created|appear\w*|since when)\b/iu,
} as const;

/** Returns whether a question asks when something came. */
export function asksForFirst(head: string): boolean {
  return asks.first.test(head) && !asks.last.test(head) && !asks.removal.test(head);
}

interface WeighedCommit {
  readonly commit: PastCommit;
  /** Higher is better; comparable within one question. */
  readonly score: number;
  /** The share of the question's words that its message has. */
  readonly share: number;
}

/** Numbers of repositories that are searched, and of words. */
const max = { repositories: 3, words: 40 } as const;
/** Stems of words that ask for a change and say nothing of it: stop words of these questions. */
const asking = new Set(
  wordsIn(
    'commit commits change pull request pr merge merged patch release version history changelog author day date last first latest newest recent original introduce reason motivation rationale explain made make come came originally recently since appear longer gone show work list own owner maintain maintainer know main contributor responsible lately week month',
  ),
);

/** Returns the stems of the words of a question that a message of a commit may have, without names of repositories. */
function changeWords({ question, ranked }: Inquiry): readonly string[] {
  const names = new Set(ranked.named.flatMap(({ name }) => wordsIn(name)));
  const stems = questionWordsIn(question.head).flatMap((word) => word.stems);
  // A year is in no message of its commits.
  const said = stems.filter((stem) => !asking.has(stem) && !names.has(stem) && !/^\d+$/u.test(stem));
  return [...new Set([...said, ...versionsIn(question.head)])];
}

/** Returns numbers of versions, such as `3.7`. */
function versionsIn(text: string): readonly string[] {
  return text.match(/(?<![\w.])\d{1,6}(?:\.\d{1,6})+/gu) ?? [];
}

/** Stems of words that say no more of a named thing than that it changed and of which kind it is. */
const general = new Set(wordsIn(`add added create touch exist file ${kindPattern.replaceAll('|', ' ')}`));

/** Returns whether a question says nothing besides the name and place of something. */
export function saysNoMore(inquiry: Inquiry, ...names: readonly string[]): boolean {
  const own = new Set(wordsIn(names.join(' ')));
  return changeWords(inquiry).every(
    (word) => own.has(word) || general.has(word) || !Number.isNaN(Number.parseInt(word, 10)),
  );
}

/** Returns the repositories whose history may hold the answer: those that are named, or those of the best passages. */
export function repositoriesOfHistory({ ranked }: Inquiry): readonly SearchableRepository[] {
  const ofPassages = new Set(ranked.passages.best.map(({ repository }) => repository));
  const known = ranked.searched.filter(({ id }) => ofPassages.has(id));
  const [found = []] = [ranked.named, known, ranked.searched].filter(({ length }) => length > 0);
  return found.slice(0, max.repositories);
}

/**
 * Weighs the commits whose messages have words of a question, best first: by how many of these they have, those of the
 * subject counting twice. Of equal ones, those with the rarest words come first.
 */
export async function weighCommits(inquiry: Inquiry): Promise<readonly WeighedCommit[]> {
  const words = changeWords(inquiry).slice(0, max.words);
  // Other forms of a word may lack the end of its stem, as `retry` does of `retri`.
  const beginnings = words.map((word) => word.replace(/(?<=.{4})[eiy]$/u, ''));
  const said = beginnings.filter((word) => /^[\p{L}\p{N}.]{2,40}$/u.test(word));
  if (said.length === 0) return [];
  const asked = { said, max: historyLimits.said };
  const repositories = repositoriesOfHistory(inquiry);
  const past = await Promise.all(repositories.map((one) => historyOf(inquiry, one, asked)));
  const pause = openPauses();
  const weighed: WeighedCommit[] = [];
  const shareIn = (text: string): number => {
    const stems = new Set([...wordsIn(text), ...versionsIn(text)]);
    return words.filter((word) => stems.has(word)).length / words.length;
  };
  for (const commit of past.flatMap((one) => one.commits)) {
    await pause();
    const { subject, body } = commit;
    const share = shareIn(`${subject}\n${body}`);
    weighed.push({ commit, share, score: share + shareIn(subject) });
  }
  return weighed.toSorted((a, b) => b.score - a.score);
}
