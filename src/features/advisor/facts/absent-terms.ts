import { splitWords } from '../text/split-words.ts';
import type { Inquiry } from './inquiry.ts';
import { searchText } from './search-text.ts';
import { isTestPath } from './test-path.ts';

/** Maximum number of words of a question that is examined, and of words that are looked up. */
const max = { terms: 12, lookups: 4 } as const;
/** Words that ask, and are not what is asked about. */
const askingWords =
  /^(?:introduc|creat|chang|fix|call|invok|import|referenc|own|maintain|br[eo]ak|broke|touch|affect|impact|depend|mean|find|explain|happen|caus|investigat|responsib|decid|determin|cho[os]|know)/iu;

/**
 * Returns the words of a question that no indexed file contains. Tests do not count, because their samples are about
 * anything, unless the question is about tests. Long prompts are not examined: the text that people paste contains such
 * words.
 */
export async function absentTerms(inquiry: Inquiry): Promise<readonly string[]> {
  const { ranked, code } = inquiry;
  const { terms } = ranked.subject;
  if (terms.length > max.terms) return [];
  const asksForTests = terms.some((term) => /^tests?$/iu.test(term));
  const counts = ({ path }: { readonly path: string }): boolean => asksForTests || !isTestPath(path);
  const contained = new Set(
    code
      .filter(counts)
      .flatMap(({ path, excerpt, reasons }) => [path, excerpt, ...reasons].flatMap(splitWords)),
  );
  const names = new Set(ranked.repositories.flatMap(({ name }) => splitWords(name)));
  const uncovered = terms.filter((term) => {
    const words = splitWords(term);
    return (
      term.length > 2 &&
      !askingWords.test(term) &&
      !words.some((word) => contained.has(word) || names.has(word))
    );
  });
  const absent = await Promise.all(
    uncovered.slice(0, max.lookups).map(async (term) => {
      const { repositories } = ranked;
      const search = { text: stemOf(term), caseSensitive: false, field: 'any', repositories } as const;
      const found = await searchText(inquiry, { ...search, matchesPerFile: 1, contextLines: 0 });
      const isWhole = found?.incomplete === undefined || found.incomplete === 'limit';
      return found !== undefined && isWhole && !found.files.some(counts);
    }),
  );
  return uncovered.slice(0, max.lookups).filter((_, index) => absent[index]);
}

/** Returns the beginning that all forms of a word share. */
export function stemOf(term: string): string {
  const stem = term.replace(/(?:ies|ied|ing|ed|es|s)$/iu, '');
  return stem.length < 3 ? term : stem;
}
