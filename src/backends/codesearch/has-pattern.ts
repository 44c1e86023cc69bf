import type { Query } from './port.ts';
import { leavesOf } from './query-leaves.ts';

/** Whether it holds a regular expression: the one thing that may take long over one file. */
export function hasPattern(query: Query): boolean {
  return leavesOf(query).some(
    (leaf) => leaf.kind === 'regex' || (leaf.kind === 'symbol' && leaf.form === 'regex'),
  );
}
