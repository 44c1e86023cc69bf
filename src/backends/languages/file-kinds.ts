import { allLanguages, byWord } from './languages.ts';

/** Names of test files in any language: `trie.test.ts`, `queue_test.go`, `test_spider.py`, `lease_spec.rb`. */
const testName = /^test_|[._-](?:tests?|specs?)(?:-d)?\.\w+$/;

/** Matches the end of the name of a test class. */
const testClass = /(?:Tests?|TestCase|Spec|IT)$/;

const testFiles = byWord((language) => language.testFiles);
const endingsOfClasses = byWord(({ filesAreClasses, endings }) =>
  filesAreClasses === true ? endings : undefined,
);
const testFolders = allLanguages.flatMap((language) => language.testFolders ?? []);
const generatedEnds = [...byWord((language) => language.generatedEnds).keys()];
const declarationEnds = [...byWord((language) => language.declarationEnds).keys()];

/** Returns whether a file is a test by its name or folder, by the conventions of its language. */
export function isTestName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const lower = name.toLowerCase();
  if (testName.test(lower) || testFiles.has(lower)) return true;
  if (testFolders.some((folder) => folder.test(path))) return true;
  const dot = name.lastIndexOf('.');
  return endingsOfClasses.has(lower.slice(dot + 1)) && testClass.test(name.slice(0, dot));
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
