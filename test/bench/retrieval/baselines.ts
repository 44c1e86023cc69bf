import type { CorpusFile } from './corpus.ts';

const stopWords = new Set(
  'a an and are as at be by for from if in into is it not of on or so that the this to was were when with without use'.split(
    ' ',
  ),
);

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []).filter((word) => !stopWords.has(word));
}

/** Ranks files as a search for each word of the text does: by the number of words that a file contains in any case. */
export function rankByVotes(files: readonly CorpusFile[], text: string): string[] {
  const words = [...new Set(wordsOf(text))];
  const scored = files.map(({ path, text: content }) => {
    const lower = content.toLowerCase();
    const hits = words.map((word) => countOf(lower, word));
    return {
      path,
      votes: hits.filter((count) => count > 0).length,
      hits: hits.reduce((sum, one) => sum + one, 0),
    };
  });
  return scored
    .filter(({ votes }) => votes > 0)
    .toSorted((a, b) => b.votes - a.votes || b.hits - a.hits || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

function countOf(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) count++;
  return count;
}

/** The words of a text with their number, by text: texts are compared with hundreds of questions. */
const countsByText = new Map<
  string,
  { readonly counts: ReadonlyMap<string, number>; readonly length: number }
>();

/** Ranks files by BM25 (k1 = 1.2, b = .75) over whole words. */
export function rankByBm25(files: readonly CorpusFile[], text: string): string[] {
  const words = [...new Set(wordsOf(text))];
  const counted = files.map(({ path, text: content }) => ({ path, ...countsOf(content) }));
  const average = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const idf = words.map((word) => {
    const holding = counted.filter(({ counts }) => counts.has(word)).length;
    return Math.log(1 + (counted.length - holding + 0.5) / (holding + 0.5));
  });
  return counted
    .map(({ path, counts, length }) => ({
      path,
      score: words.reduce((sum, word, index) => {
        const count = counts.get(word) ?? 0;
        return sum + (idf[index]! * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average));
      }, 0),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

function countsOf(text: string): { readonly counts: ReadonlyMap<string, number>; readonly length: number } {
  const known = countsByText.get(text);
  if (known !== undefined) return known;
  const counts = new Map<string, number>();
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const counted = { counts, length: words.length };
  countsByText.set(text, counted);
  return counted;
}
