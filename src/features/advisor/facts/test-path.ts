import type { RankedFile } from '../../../backends/codesearch/port.ts';

const testPath =
  /(?:^|[/:])(?:\w+-)?(?:tests?|__tests__|specs?|e2e|bench(?:marks?)?|examples?|fixtures?)(?:-\w+)?\/|[._-](?:test|spec)\.\w+(?:$|#)|(?:^|[/:])test_[^/]*$/iu;

/** Returns whether a path or key names a test, benchmark or sample. */
export function isTestPath(path: string): boolean {
  return testPath.test(path);
}

/** Returns whether a file is code of the product: no test, sample, document, or file of a tool such as `.github/`. */
export function isProductFile({ fileClass, path }: Pick<RankedFile, 'fileClass' | 'path'>): boolean {
  return fileClass === 'source' && !isTestPath(path) && !/(?:^|\/)\.\w/u.test(path);
}
