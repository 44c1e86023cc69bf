import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import { type BranchHead, maxBranches } from '../../port.ts';
import type { ManifestBranch } from '../format/manifest.ts';

/** The update of one branch of an index. */
export interface BranchStep extends ManifestBranch {
  /** The commit that the documents of its bit belong to; `undefined` for a new branch. */
  readonly from: string | undefined;
}

export interface BranchSteps {
  readonly steps: readonly [BranchStep, ...BranchStep[]];
  /** Bits of branches that are removed from the index. */
  readonly freed: readonly number[];
}

/**
 * Assigns a bit to each branch. The default branch gets the first one, a known branch keeps its bit, and a new one
 * gets the next free bit.
 * @throws InvalidInput for more than 64 branches
 */
export function assignBranches(
  present: readonly ManifestBranch[],
  wanted: readonly [BranchHead, ...BranchHead[]],
): BranchSteps {
  const [first, ...others] = wanted;
  const named = [...new Map(others.map((branch) => [branch.name, branch])).values()].filter(
    ({ name }) => name !== first.name,
  );
  if (named.length >= maxBranches) {
    throw new InvalidInput(`At most ${maxBranches} branches of a repository can be indexed.`, {
      code: 'too_many_branches',
    });
  }
  const known = new Map(present.filter(({ bit }) => bit > 0).map((branch) => [branch.name, branch]));
  const kept = named.flatMap(({ name }) => known.get(name) ?? []);
  const taken = new Set([0, ...kept.map(({ bit }) => bit)]);
  const free = Array.from({ length: maxBranches }, (_, bit) => bit).filter((bit) => !taken.has(bit));
  const steps = named.map(({ name, commit }): BranchStep => {
    const previous = known.get(name);
    return { name, commit, bit: previous?.bit ?? free.shift() ?? 0, from: previous?.commit };
  });
  return {
    steps: [{ ...pick(first), bit: 0, from: present.find(({ bit }) => bit === 0)?.commit }, ...steps],
    freed: present.map(({ bit }) => bit).filter((bit) => !taken.has(bit)),
  };
}

function pick({ name, commit }: BranchHead): BranchHead {
  return { name, commit };
}
