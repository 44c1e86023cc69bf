import { isTestName } from '../../../languages/port.ts';
import { isGenerated } from '../../file-class.ts';

/**
 * Kinds of files by path. Documents of a segment are stored in this order, so that a search that stops early has
 * covered the most useful files.
 */
export const fileRank = { source: 0, test: 1, docs: 2, vendored: 3 } as const;
export const fileRanks = 4;

const testPath =
  /(?:^|\/)(?:tests?|__tests__|__mocks__|specs?|testdata|test-fixtures|fixtures|e2e|bench(?:marks?)?|examples?|mocks?)\/|[._-](?:bench|mock)\.[A-Za-z]+$/;
const docsPath =
  /(?:^|\/)(?:docs?|documentation|website|changelogs?|\.github)\/|\.(?:md|mdx|rst|adoc|txt|po)$|(?:^|\/)(?:CHANGELOG|LICENSE|COPYING|NOTICE|AUTHORS|CONTRIBUTORS)[^/]*$/i;

/**
 * Returns the rank of a file. It depends on the path only, so that the order of a segment is known before any blob is
 * read.
 */
export function staticRank(path: string): number {
  if (isGenerated(path) || path.endsWith('.svg')) return fileRank.vendored;
  if (testPath.test(path) || isTestName(path)) return fileRank.test;
  if (docsPath.test(path)) return fileRank.docs;
  return fileRank.source;
}
