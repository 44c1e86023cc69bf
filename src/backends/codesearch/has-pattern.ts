import type { Query } from './port.ts';
import { leavesOf } from './query-leaves.ts';

/** Returns whether a query contains a regular expression. Only those can take long on a single file. */
export function hasPattern(query: Query): boolean {
  return leavesOf(query).some(
    (leaf) => leaf.kind === 'regex' || (leaf.kind === 'symbol' && leaf.form === 'regex'),
  );
}
