import type { RankedFile } from '../../../backends/codesearch/port.ts';

const testPath =
  /(?:^|[/:])_?(?:\w+-)?(?:tests?|__tests__|specs?|e2e|bench(?:marks?)?|examples?|fixtures?)(?:-\w+)?\/|[._-](?:test|spec)(?:-\w+)?\.\w+(?:$|#)|(?:^|[/:])test_[^/#]*(?:$|#)|(?:^|:)t\//iu;

/** Returns whether a path or key names a test, benchmark or sample. */
export function isTestPath(path: string): boolean {
  return testPath.test(path);
}

/** Returns a list with what lies in tests, benchmarks or samples at its end. `pathOf` returns a path or key. */
export function testsLast<Item>(list: readonly Item[], pathOf: (item: Item) => string): readonly Item[] {
  const isTest = (item: Item): boolean => isTestPath(pathOf(item));
  return [...list.filter((item) => !isTest(item)), ...list.filter(isTest)];
}

/** Files that configure a tool: `karma.conf.cjs`, `rollup.config.js`, `.github/…`, `Makefile`. */
const toolFile =
  /(?:^|\/)\.\w|[.-]conf(?:ig)?\.[cm]?[jt]s$|(?:^|\/)(?:(?:gulpfile|gruntfile|rakefile|makefile)(?:\.\w+)?|(?:noxfile|conftest|setup)\.py)$/iu;

/** Returns whether a path is that of a script that builds or maintains a repository, or completes its commands. */
export function isScriptPath(path: string): boolean {
  return /^(?:bin|scripts?|tools?|hack|ci|build|examples?|bench\w*)\/|(?:^|\/)completions?\/|\.(?:zsh|fish)$/iu.test(
    path,
  );
}

/** Returns whether a file is code of the product: no test, sample, document or configuration of a tool. */
export function isProductFile({ fileClass, path }: Pick<RankedFile, 'fileClass' | 'path'>): boolean {
  return fileClass === 'source' && !isTestPath(path) && !toolFile.test(path);
}
