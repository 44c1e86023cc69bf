import { readPrompt } from '../../question/prompt/read-prompt.ts';
import { isChangeWord } from '../../question/words/asking-words.ts';
import { everydayWords } from '../../question/words/everyday-words.ts';
import { isKindOfCode } from '../../question/words/kind-words.ts';
import { relatedWords } from '../../question/words/related-words.ts';
import { splitWords, stemsOf } from '../../text/split-words.ts';
import { stemOf } from '../absent-terms.ts';
import type { Inquiry } from '../inquiry.ts';

/** A word that messages of commits are compared with. */
export interface AskedWord {
  /** As the question writes it. */
  readonly term: string;
  readonly stems: readonly string[];
  /** The stems of words that people use for it. */
  readonly related: ReadonlySet<string>;
  /** True for a name as in code, which is meant as it is. */
  readonly isName: boolean;
  /** The share of the question that it counts for: 1 for a usual word. */
  readonly share: number;
}

/** Maximum number of words that are compared, and of words that messages are searched for. */
const max = { words: 24, searched: 36 } as const;
/**
 * Shares of a word that asks for a change, of an everyday word (messages are prose, so that it may tell one from
 * another), of one that the question only tells besides, and of a name as in code.
 */
const share = { asking: 0.25, everyday: 0.25, told: 0.6, name: 1.5 } as const;

/** Returns the words of a question that the message of a commit may have. */
export function askedWords({ ranked, asked }: Pick<Inquiry, 'ranked' | 'asked'>): readonly AskedWord[] {
  const { subject, repositories, context } = ranked;
  const names = new Set(repositories.flatMap(({ name }) => splitWords(name)));
  const versions = asked.match(/\b(?:[A-Za-z]{2,10}\/\d+(?:\.\d+)?|\d+(?:\.\d+)+)\b/gu) ?? [];
  const parts = new Set(versions.map((version) => version.split('/')[0]?.toLowerCase()));
  const terms = [...subject.terms, ...readPrompt(asked).terms].filter(
    (term) => !parts.has(term.toLowerCase()),
  );
  const isOfRepository = (term: string): boolean => splitWords(term).some((word) => names.has(word));
  const isCode = (term: string): boolean => subject.identifiers.includes(term) && /[a-z][A-Z]|_/u.test(term);
  return [...new Set([...versions, ...terms])]
    .filter((term) => !isOfRepository(term))
    .slice(0, max.words)
    .map((term) => ({
      term,
      stems: stemsOf(term),
      related: new Set(relatedWords([term]).flatMap(stemsOf)),
      isName: subject.identifiers.includes(term),
      share: shareOf(term, isCode(term)) * (context.includes(term) ? share.told : 1),
    }));
}

function shareOf(term: string, isCode: boolean): number {
  if (isCode) return share.name;
  if (isChangeWord(term)) return share.asking;
  return everydayWords.has(term.toLowerCase()) ? share.everyday : 1;
}

/** Returns whether a word says what a question is about. */
export function saysContent({ term }: AskedWord): boolean {
  return !isChangeWord(term) && !everydayWords.has(term.toLowerCase());
}

/** Returns the beginnings of the words that messages are searched for, those of the question before related ones. */
export function searchedWords(words: readonly AskedWord[]): readonly string[] {
  const content = words.filter(({ term }) => !isChangeWord(term));
  const terms = (content.length > 0 ? content : words).map(({ term }) => term);
  const all = [...terms, ...relatedWords(terms)].map(beginningOf);
  return [...new Set(all)].filter((word) => /^[\p{L}\p{N}_/.-]{2,80}$/u.test(word)).slice(0, max.searched);
}

/** Returns the beginning that all forms of a word share. */
function beginningOf(word: string): string {
  return stemOf(word)
    .replace(/(?<=\w{4})[ey]$/iu, '')
    .toLowerCase();
}

/** Returns whether a question has words besides a name that say what it is about. */
export function saysMore(inquiry: Inquiry, name: string): boolean {
  const parts = inquiry.ranked.subject.identifiers.filter((one) => one.split(/\.|::|#/u).includes(name));
  const own = new Set(stemsOf(`${name} ${parts.join(' ')}`));
  return askedWords(inquiry).some(
    (word) => saysContent(word) && !isKindOfCode(word.term) && word.stems.some((stem) => !own.has(stem)),
  );
}
