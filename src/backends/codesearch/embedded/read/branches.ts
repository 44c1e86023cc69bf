import { matchesBranchGlob } from '../../branch-glob.ts';
import { type Bits, emptyBits, hasBit, orBits } from '../format/bits.ts';
import type { IndexedBranch, LiveSegment } from './live-segment.ts';

/**
 * Returns the documents on the branches with this name (`*` and `?` are wildcards, `HEAD` is the default branch), or
 * `undefined` if the repository has no such branch.
 */
export function documentsOnBranches(live: LiveSegment, pattern: string): Bits | undefined {
  const named = branchesNamed(live, pattern);
  if (named.length === 0) return undefined;
  return named.map(({ bit }) => live.onBranch(bit)).reduce(orBits, emptyBits(live.segment.documents.count));
}

/**
 * Returns the first branch that contains the document: one that `patterns` name if possible, the default branch
 * first.
 */
export function branchOf(
  live: LiveSegment,
  document: number,
  patterns: readonly string[],
): IndexedBranch | undefined {
  const named = patterns.flatMap((pattern) => branchesNamed(live, pattern));
  return [...named.toSorted((a, b) => a.bit - b.bit), ...live.branches].find(({ bit }) =>
    hasBit(live.onBranch(bit), document),
  );
}

function branchesNamed({ branches }: LiveSegment, pattern: string): readonly IndexedBranch[] {
  return branches.filter(
    ({ name, bit }) => (bit === 0 && pattern === 'HEAD') || matchesBranchGlob(pattern, name),
  );
}
