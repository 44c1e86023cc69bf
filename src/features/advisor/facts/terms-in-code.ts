import { type FileMatch, fileClassOf, type LineMatch } from '../../../backends/codesearch/port.ts';
import { relatedWords } from '../question/words/related-words.ts';
import { maxLineLength } from '../sources/excerpt.ts';
import { splitWords } from '../text/split-words.ts';
import { stemOf } from './absent-terms.ts';
import type { Inquiry } from './inquiry.ts';
import { searchText } from './search-text.ts';
import { isProductFile } from './test-path.ts';

/** Maximum number of words that are looked up, of forms of one, and of files and lines with one. */
const max = { lookups: 6, related: 4, files: 60, lines: 40 } as const;
/** Length from which a word may be a part of a name in a path: `kafka` of `confluentkafka.py`. */
const partLength = 5;

/** A word with a line or path of the product that has it, a line with all words before others. */
export interface CodedTerm {
  readonly word: string;
  /** `undefined` if only comments and documents may have it. */
  readonly hit: { readonly file: FileMatch; readonly match: LineMatch | undefined } | undefined;
}

/**
 * Looks up some words in the code of the product: in paths, names and texts, also by other words for them. Words that
 * cannot be searched whole are left out.
 */
export async function termsInCode(inquiry: Inquiry, words: readonly string[]): Promise<readonly CodedTerm[]> {
  const found = await Promise.all(
    words.slice(0, max.lookups).map(async (word): Promise<readonly CodedTerm[]> => {
      const forms = [word, ...relatedWords([word])].slice(0, max.related);
      const hits = await Promise.all(forms.map((form) => hitInCode(inquiry, form, words)));
      const hit = hits.find((one) => typeof one === 'object');
      return hit === undefined && hits.includes('unknown') ? [] : [{ word, hit }];
    }),
  );
  return found.flat();
}

async function hitInCode(
  inquiry: Inquiry,
  word: string,
  words: readonly string[],
): Promise<CodedTerm['hit'] | 'unknown'> {
  const { searched } = inquiry.ranked;
  const search = { text: stemOf(word), caseSensitive: false, field: 'any', repositories: searched } as const;
  const limits = { matchesPerFile: max.lines, contextLines: 0, limit: max.files } as const;
  const found = await searchText(inquiry, { ...search, ...limits });
  const files = (found?.files ?? []).filter(({ path, language }) =>
    isProductFile({ path, fileClass: fileClassOf(path, language) }),
  );
  const hits = files.flatMap((file) => {
    const lines = file.matches.filter(({ text }) => !isComment.test(text) && hasWord(text, word));
    const match = lines.find(({ text }) => hasAll(text, words)) ?? lines[0];
    return match !== undefined || hasInPath(file.path, word) ? [{ file, match }] : [];
  });
  const best = hits.find(({ match }) => match !== undefined && hasAll(match.text, words)) ?? hits[0];
  if (best !== undefined) return best;
  return found === undefined || found.incomplete !== undefined ? 'unknown' : undefined;
}

/** Returns whether a line has all of some words. */
export function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => hasWord(text, word));
}

/** Lines that only comment. */
const isComment = /^\s*(?:\/\/|\/\*|\*|#|--\s|"""|''')/u;

function hasInPath(path: string, word: string): boolean {
  return word.length >= partLength ? path.toLowerCase().includes(word.toLowerCase()) : hasWord(path, word);
}

/** Returns whether a text has a word; one with an ending also in another form, but no `record` in `recording`. */
function hasWord(text: string, word: string): boolean {
  const line = text.slice(0, maxLineLength);
  const plain = line.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ').toLowerCase();
  if (plain.split(/[^\p{L}\p{N}]+/u).includes(word.toLowerCase())) return true;
  const stems = new Set(splitWords(line));
  return /(?:ing|ed|s|er|ion)$/u.test(word) && splitWords(word).some((stem) => stems.has(stem));
}
