import { expect, it } from 'vitest';
import { RANK, staticRank } from './static-rank.ts';

it.each([
  ['src/server.ts', RANK.source],
  ['internal/latest/protest.go', RANK.source],
  ['src/server.test.ts', RANK.test],
  ['tests/test_core.py', RANK.test],
  ['core/server_test.go', RANK.test],
  ['docs/guide.md', RANK.docs],
  ['README.md', RANK.docs],
  ['vendor/github.com/x/y.go', RANK.vendored],
  ['package-lock.json', RANK.vendored],
  ['api/v1/types.pb.go', RANK.vendored],
  ['web/app.min.js', RANK.vendored],
])('%s is of rank %i', (path, rank) => {
  expect(staticRank(path)).toBe(rank);
});
