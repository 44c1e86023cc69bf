import { relatedWords } from '../question/words/related-words.ts';
import { stemsOf } from '../text/split-words.ts';
import { maxLineLength, maxLinesExamined } from './excerpt.ts';

/** The lines after `from` up to `to`, such as those of a definition after its documentation. 1-based. */
export interface Body {
  readonly lines: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Number of lines that are read together. */
const windowLines = 6;
/** Weight of a word that code uses for one of the question. */
const relatedWeight = 0.4;

/**
 * Returns the first of the lines of a body that together say most of a question, rare words counting more; `undefined`
 * if none says any of it. Each word counts once.
 */
export function focusLine(
  { lines, from, to }: Body,
  terms: readonly string[],
  rarity: (word: string) => number,
): number | undefined {
  const weights = new Map<string, number>();
  for (const word of relatedWords(terms).flatMap(stemsOf)) weights.set(word, relatedWeight * rarity(word));
  for (const word of terms.flatMap(stemsOf)) weights.set(word, rarity(word));
  const first = from + 1;
  const last = Math.min(to, from + maxLinesExamined);
  const said = lines.slice(first - 1, last).map((line) => {
    const words = stemsOf(line.slice(0, maxLineLength));
    return new Set(words.filter((word) => weights.has(word)));
  });
  let best: { readonly line: number; readonly weight: number } | undefined;
  for (const [at, words] of said.entries()) {
    if (words.size === 0) continue;
    const near = new Set(said.slice(at, at + windowLines).flatMap((one) => [...one]));
    const weight = [...near].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
    if (weight > (best?.weight ?? 0)) best = { line: first + at, weight };
  }
  return best?.line;
}
