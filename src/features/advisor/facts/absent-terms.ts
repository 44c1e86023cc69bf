import { type FileMatch, fileClassOf } from '../../../backends/codesearch/port.ts';
import { isAskingWord } from '../question/words/asking-words.ts';
import { relatedWords } from '../question/words/related-words.ts';
import { inlineCode } from '../text/markdown.ts';
import { splitWords } from '../text/split-words.ts';
import { condensed, versionsIn } from '../text/versioned-names.ts';
import type { Inquiry } from './inquiry.ts';
import { searchText } from './search-text.ts';
import { isProductFile, isTestPath } from './test-path.ts';

/** Maximum number of words of a question that is examined, of words that are looked up, and of files and lines of one. */
const max = { terms: 12, lookups: 6, files: 60, lines: 40 } as const;
/** Length from which a word may also be a part of another one: `email` has `mail`, but `generate` is no `rate`. */
const partLength = 5;
/** One of so many words of a question is absent if many are. */
const manyShare = 3;
/** Number of lines of documents that make a word a subject of a repository. */
const documentLines = 2;

/** The words of a question that say what it is about, in its order. */
export interface Coverage {
  readonly content: readonly string[];
  /** Those that nothing searched mentions. */
  readonly absent: readonly string[];
}

/**
 * Returns the words of a question that no searched file contains. Tests do not count, because their samples are about
 * anything, unless the question is about tests, nor does a document that mentions the word once. In a repository that the
 * question names, neither does the configuration of tools. Long prompts are not examined: the text that people paste contains
 * such words.
 */
export async function absentTerms(inquiry: Inquiry): Promise<Coverage> {
  const { ranked, code } = inquiry;
  const { terms } = ranked.subject;
  if (terms.length > max.terms) return { content: terms, absent: [] };
  const names = new Set(ranked.repositories.flatMap(({ name }) => splitWords(name)));
  const prompt = inquiry.prompt.toLowerCase();
  // The owner of a repository stands before its name.
  const owned = ranked.named.map(({ name }) => name.slice(name.lastIndexOf('/') + 1).toLowerCase());
  const isOwner = (term: string): boolean =>
    owned.some((name) => ['/', ' '].some((between) => prompt.includes(`${term}${between}${name}`)));
  const isName = (term: string): boolean =>
    splitWords(term).some((word) => names.has(word)) || isOwner(term.toLowerCase());
  const words = terms.filter((term) => term.length > 2 && !isAskingWord(term) && !isName(term));
  const versions = versionsIn(inquiry.asked);
  const content = [
    ...versions,
    ...words.filter((word) => !versions.some((one) => one.startsWith(`${word}/`))),
  ];
  const counts = countsFor(inquiry);
  const text = code
    .filter((source) => counts(source) === 'product')
    .map(({ path, excerpt, reasons }) => [path, excerpt, ...reasons].join('\n'))
    .join('\n');
  const contained = new Set(splitWords(text));
  const lower = text.toLowerCase();
  const hasAny = (word: string): boolean => splitWords(word).some((one) => contained.has(one));
  // Different words may have one stem, such as "customer" and "custom".
  const isContained = (term: string): boolean =>
    !versions.includes(term) &&
    ((hasAny(term) && lower.includes(stemOf(term).toLowerCase())) || relatedWords([term]).some(hasAny));
  const uncovered = content.filter((term) => !isContained(term)).slice(0, max.lookups);
  const absent = await Promise.all(
    uncovered.map(async (term) => {
      const forms = term.includes('/') ? [term, condensed(term)] : [term];
      return (await Promise.all(forms.map((form) => isAbsent(inquiry, form, counts)))).every(Boolean);
    }),
  );
  return {
    content,
    absent: sayable(
      inquiry,
      content,
      uncovered.filter((_, index) => absent[index]),
    ),
  };
}

/**
 * Leaves out absent words that a question only tells besides, unless they are names or many: "spitting a BrokenPipe
 * traceback".
 */
function sayable(
  { ranked: { context } }: Inquiry,
  content: readonly string[],
  absent: readonly string[],
): readonly string[] {
  const isTold = (word: string): boolean => context.includes(word) && !/\p{Lu}/u.test(word);
  return absent.length * manyShare >= content.length ? absent : absent.filter((word) => !isTold(word));
}

type Counts = (file: Pick<FileMatch, 'path' | 'language'>) => 'product' | 'document' | undefined;

/** Returns a function that returns what a file proves: a document proves less than the product. */
function countsFor({ ranked }: Inquiry): Counts {
  const isNamed = ranked.searched.length < ranked.repositories.length;
  const asksForTests = ranked.subject.terms.some((term) => /^tests?$/iu.test(term));
  return ({ path, language }) => {
    if (asksForTests) return 'product';
    if (isTestPath(path)) return undefined;
    const fileClass = fileClassOf(path, language);
    if (isProductFile({ path, fileClass })) return 'product';
    const isDocument = fileClass === 'docs' || fileClass === 'readme';
    if (!isNamed) return isDocument ? 'document' : 'product';
    return isDocument && !/(?:^|\/)\.\w/u.test(path) ? 'document' : undefined;
  };
}

async function isAbsent(inquiry: Inquiry, term: string, counts: Counts): Promise<boolean> {
  const { searched } = inquiry.ranked;
  const stem = /\d$/u.test(term) ? term : stemOf(term);
  const search = { text: stem, caseSensitive: false, field: 'any', repositories: searched } as const;
  const limits = { matchesPerFile: max.lines, contextLines: 0, limit: max.files } as const;
  const found = await searchText(inquiry, { ...search, ...limits });
  if (found === undefined) return false;
  const isWhole = found.incomplete === undefined || found.incomplete === 'limit';
  const stems = new Set(splitWords(term));
  const hasTerm = (text: string): boolean =>
    stem.length >= partLength || splitWords(text).some((word) => stems.has(word));
  const hasStem = (path: string): boolean => path.toLowerCase().includes(stem.toLowerCase()) && hasTerm(path);
  let documents = 0;
  for (const file of found.files) {
    const kind = counts(file);
    if (kind === undefined) continue;
    const lines = file.matches.filter(({ text }) => hasTerm(text)).length;
    if (kind === 'product' && (lines > 0 || hasStem(file.path))) return false;
    documents += lines;
  }
  // A word of prose occurs anywhere; a name as in code is written on purpose.
  const isName = inquiry.ranked.subject.identifiers.includes(term);
  return isWhole && documents < (isName ? 1 : documentLines);
}

/** Returns those of some words that a repository mentions which was not searched, with the names of such ones. */
export async function elsewhere(
  inquiry: Inquiry,
  absent: readonly string[],
): Promise<{ readonly words: readonly string[]; readonly names: readonly string[] }> {
  const { searched, repositories } = inquiry.ranked;
  const others = repositories.filter(({ id }) => !searched.some((one) => one.id === id));
  const words: string[] = [];
  const names = new Set<string>();
  for (const word of others.length === 0 ? [] : absent.slice(0, 2)) {
    const search = {
      text: stemOf(word),
      caseSensitive: false,
      field: 'content',
      repositories: others,
    } as const;
    const found = await searchText(inquiry, { ...search, matchesPerFile: max.lines, contextLines: 0 });
    const stems = new Set(splitWords(word));
    const files = (found?.files ?? []).filter(
      ({ path, language, matches }) =>
        isProductFile({ path, fileClass: fileClassOf(path, language) }) &&
        matches.some(({ text }) => splitWords(text).some((one) => stems.has(one))),
    );
    if (files.length > 0) words.push(word);
    for (const file of files) names.add(others.find(({ id }) => id === file.repository)?.name ?? '');
  }
  return { words, names: [...names].filter((name) => name !== '') };
}

/** Says that nothing that was searched mentions some words. */
export function nothingMentions({ ranked }: Pick<Inquiry, 'ranked'>, words: readonly string[]): string {
  const names = namesOfPart(ranked);
  const subject = names === undefined ? 'No indexed code' : `Nothing in the code of ${names}`;
  return `${subject} mentions ${words.map(inlineCode).join(', ')}.`;
}

/** Says that some words are in no code that was searched. */
export function outsideCode({ ranked }: Pick<Inquiry, 'ranked'>, words: readonly string[]): string {
  const names = namesOfPart(ranked);
  const of = names === undefined ? '' : ` of ${names}`;
  return `No code${of} has ${words.map(inlineCode).join(', ')}, only documents, comments or tests.`;
}

/** Returns the names of the repositories that were searched; `undefined` if all were. */
function namesOfPart({ searched, repositories }: Inquiry['ranked']): string | undefined {
  if (searched.length === repositories.length) return undefined;
  return searched.map(({ name }) => inlineCode(name)).join(', ');
}

/** Returns the beginning that all forms of a word share. */
export function stemOf(term: string): string {
  const stem = term.replace(/(?:ies|ied|ing|ed|es|s)$/iu, '');
  return stem.length < 3 ? term : stem;
}
