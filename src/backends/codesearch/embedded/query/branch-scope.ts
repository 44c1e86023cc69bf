import { type Bits, emptyBits, hasBit } from '../format/bits.ts';
import { branchOf, documentsOnBranches } from '../read/branches.ts';
import type { IndexedBranch, LiveSegment } from '../read/live-segment.ts';
import type { BranchLeaf, CompiledQuery } from './compile-query.ts';

/** Returns the documents that a query covers: those of the default branch, unless the query names branches. */
export function documentsInScope(query: CompiledQuery, live: LiveSegment): Bits {
  return branchesNamed(query).length === 0 ? live.documents : live.documentsOfAll;
}

export function documentsOnNamedBranches({ pattern }: BranchLeaf, live: LiveSegment): Bits {
  return documentsOnBranches(live, pattern) ?? emptyBits(live.segment.documents.count);
}

export function isOnNamedBranch({ pattern }: BranchLeaf, live: LiveSegment, document: number): boolean {
  const found = documentsOnBranches(live, pattern);
  return found !== undefined && hasBit(found, document);
}

/** Returns the branch to report for a file: a branch that the query names if possible, the default branch first. */
export function reportedBranch(
  query: CompiledQuery,
  live: LiveSegment,
  document: number,
): Pick<IndexedBranch, 'name' | 'commit'> {
  const patterns = branchesNamed(query).flatMap(({ pattern, negated }) => (negated ? [] : [pattern]));
  return branchOf(live, document, patterns) ?? { name: live.branch, commit: live.commit };
}

interface NamedBranch {
  readonly pattern: string;
  readonly negated: boolean;
}

function branchesNamed(query: CompiledQuery, negated = false): readonly NamedBranch[] {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.operands.flatMap((operand) => branchesNamed(operand, negated));
    case 'not':
      return branchesNamed(query.operand, !negated);
    case 'branch':
      return [{ pattern: query.pattern, negated }];
    case 'content':
    case 'path':
    case 'repository':
    case 'language':
    case 'symbol':
      return [];
  }
}
