import { expect, it } from 'vitest';
import { derivedDatabaseOf } from './data-folder.ts';

it.each([
  ['/data/orgctx.db', '/data/graph.db'],
  ['/data/one.db', '/data/one.db.graph'],
])('the derived data of %s lie in %s', (database, derived) => {
  expect(derivedDatabaseOf(database)).toBe(derived);
});
