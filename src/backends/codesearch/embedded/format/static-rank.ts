/**
 * What kind of file a path names. Documents lie in a segment in this order, so that a search that stops early has seen
 * the most useful files.
 */
export const RANK = { source: 0, test: 1, docs: 2, vendored: 3 } as const;
export const RANKS = 4;

const VENDORED =
  /(?:^|\/)(?:node_modules|vendor|vendored|third[_-]?party|dist|bower_components|Godeps|\.yarn)\/|(?:^|\/)(?:[^/]*[-.]lock(?:\.[a-z]+)?|package-lock\.json|pnpm-lock\.yaml|go\.sum|npm-shrinkwrap\.json)$|[.-]min\.(?:js|css)$|\.(?:map|snap|svg|pb\.go|generated\.[a-z]+|g\.dart)$|_pb2(?:_grpc)?\.pyi?$|(?:^|\/)zz_generated[^/]*$/;
const TEST =
  /(?:^|\/)(?:tests?|__tests__|__mocks__|specs?|testdata|test-fixtures|fixtures|e2e|bench(?:marks?)?|examples?|mocks?)\/|(?:^|\/)test_[^/]*\.py$|(?:[._-](?:test|tests|spec|bench|mock)|Tests?|Spec|IT)\.[A-Za-z]+$|(?:^|\/)conftest\.py$/;
const DOCS =
  /(?:^|\/)(?:docs?|documentation|website|changelogs?|\.github)\/|\.(?:md|mdx|rst|adoc|txt|po)$|(?:^|\/)(?:CHANGELOG|LICENSE|COPYING|NOTICE|AUTHORS|CONTRIBUTORS)[^/]*$/i;

/** Decided by the path alone, so that the order of a segment is known before a blob is read. */
export function staticRank(path: string): number {
  if (VENDORED.test(path)) return RANK.vendored;
  if (TEST.test(path)) return RANK.test;
  if (DOCS.test(path)) return RANK.docs;
  return RANK.source;
}
