/** One part of a word of the question. */
export interface RankTerm {
  /** As it stands in the question: `needle` of `needle1`. */
  readonly word: string;
  /** What every form of the word holds, in lower case. */
  readonly stem: string;
}

const MOST_TERMS = 32;
const SHORTEST = 3;

/** The parts of the words, each stem once. Zoekt knows no word forms: it is asked for the part that they share. */
export function rankTerms(words: readonly string[]): RankTerm[] {
  const terms = new Map<string, RankTerm>();
  for (const word of words.flatMap(partsOf)) {
    const stem = stemOf(word.toLowerCase());
    if (stem.length >= SHORTEST && !terms.has(stem)) terms.set(stem, { word: word.toLowerCase(), stem });
  }
  return [...terms.values()].slice(0, MOST_TERMS);
}

/** `parseHTTPQuery_v2` is parse, HTTP, Query and v. */
function partsOf(word: string): readonly string[] {
  return word.toWellFormed().match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{L}+/gu) ?? [];
}

/** Cuts an English ending off where enough is left. */
function stemOf(word: string): string {
  const ending = /(?:ies|ied|ing|es|ed|s|e|y)$/.exec(word);
  const stem = ending === null ? word : word.slice(0, ending.index);
  return stem.length >= SHORTEST + 1 ? stem : word;
}
