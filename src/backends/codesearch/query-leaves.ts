import type { Query } from './port.ts';

export type QueryLeaf = Exclude<Query, { readonly kind: 'and' | 'or' | 'not' }>;

/** What a query asks for, without how that is joined; in order, negated ones too. */
export function leavesOf(query: Query): readonly QueryLeaf[] {
  if (query.kind === 'and' || query.kind === 'or') return query.operands.flatMap(leavesOf);
  return query.kind === 'not' ? leavesOf(query.operand) : [query];
}
