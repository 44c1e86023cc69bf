import { expect, it } from 'vitest';
import { fileRank, staticRank } from './static-rank.ts';

it.each([
  ['src/server.ts', fileRank.source],
  ['internal/latest/protest.go', fileRank.source],
  ['src/server.test.ts', fileRank.test],
  ['tests/test_core.py', fileRank.test],
  ['core/server_test.go', fileRank.test],
  ['docs/guide.md', fileRank.docs],
  ['README.md', fileRank.docs],
  ['vendor/github.com/x/y.go', fileRank.vendored],
  ['package-lock.json', fileRank.vendored],
  ['api/v1/types.pb.go', fileRank.vendored],
  ['web/app.min.js', fileRank.vendored],
])('%s has rank %i', (path, rank) => {
  expect(staticRank(path)).toBe(rank);
});
