/** A part of a word in the question. */
export interface RankTerm {
  /** The word as written in the question, in lower case: `needle` of `needle1`. */
  readonly word: string;
  /** The part that every form of the word contains, in lower case. */
  readonly stem: string;
}

const maxTerms = 32;
const minStemLength = 3;

/**
 * Splits words into terms, without duplicate stems. Zoekt does not stem, so the part that all word forms share is
 * searched.
 */
export function rankTerms(words: readonly string[]): RankTerm[] {
  const terms = new Map<string, RankTerm>();
  for (const word of words.flatMap(partsOf)) {
    const stem = stemOf(word.toLowerCase());
    if (stem.length >= minStemLength && !terms.has(stem)) terms.set(stem, { word: word.toLowerCase(), stem });
  }
  return [...terms.values()].slice(0, maxTerms);
}

/** Splits a word: `parseHTTPQuery_v2` becomes parse, HTTP, Query and v. */
function partsOf(word: string): readonly string[] {
  return word.toWellFormed().match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{L}+/gu) ?? [];
}

/** Removes an English ending if at least four letters remain. */
function stemOf(word: string): string {
  const ending = /(?:ies|ied|ing|es|ed|s|e|y)$/.exec(word);
  const stem = ending === null ? word : word.slice(0, ending.index);
  return stem.length >= minStemLength + 1 ? stem : word;
}
