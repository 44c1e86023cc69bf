import type { LanguageNames } from './language.ts';
import { allLanguages } from './languages.ts';

/** Names of test files in any language: `trie.test.ts`, `queue_test.go`, `test_spider.py`, `lease_spec.rb`. */
const testName = /^test_|[._-](?:tests?|specs?)(?:-d)?\.\w+$/;

const testFiles = new Set(wordsOf(({ testFiles: names }) => names));
const testClasses = new Map(
  allLanguages.flatMap(({ endings, testClasses: ends }) =>
    ends === undefined ? [] : (endings ?? '').split(' ').map((ending) => [ending, ends.split(' ')] as const),
  ),
);
const testFolders = allLanguages.flatMap((language) => language.testFolders ?? []);
const generatedEnds = wordsOf((language) => language.generatedEnds);
const declarationEnds = wordsOf((language) => language.declarationEnds);

/** Returns whether a file is a test by its name or folder, by the conventions of its language. */
export function isTestName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const lower = name.toLowerCase();
  if (testName.test(lower) || testFiles.has(lower)) return true;
  if (testFolders.some((folder) => folder.test(path))) return true;
  const dot = name.lastIndexOf('.');
  return testClasses.get(lower.slice(dot + 1))?.some((end) => name.endsWith(end, dot)) === true;
}

/** Returns whether a program of a language writes files of this name. */
export function isGeneratedName(path: string): boolean {
  const lower = path.toLowerCase();
  return generatedEnds.some((end) => lower.endsWith(end));
}

/** Returns whether a file only declares what another one implements: `index.d.ts`, `api.pyi`. */
export function isDeclarationFile(path: string): boolean {
  return declarationEnds.some((end) => path.endsWith(end));
}

function wordsOf(words: (language: LanguageNames) => string | undefined): readonly string[] {
  return allLanguages.flatMap((language) => words(language)?.split(' ') ?? []);
}
