import type { Query } from './port.ts';

export type QueryLeaf = Exclude<Query, { readonly kind: 'and' | 'or' | 'not' }>;

/** Returns the leaves of a query tree in order, including negated ones. */
export function leavesOf(query: Query): readonly QueryLeaf[] {
  if (query.kind === 'and' || query.kind === 'or') return query.operands.flatMap(leavesOf);
  return query.kind === 'not' ? leavesOf(query.operand) : [query];
}

/** Returns whether a query contains a regular expression. Only those can take long on a single file. */
export function hasPattern(query: Query): boolean {
  return leavesOf(query).some(
    (leaf) => leaf.kind === 'regex' || (leaf.kind === 'symbol' && leaf.form === 'regex'),
  );
}
