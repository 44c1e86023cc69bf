import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import { type BranchHead, mostBranches } from '../../port.ts';
import type { ManifestBranch } from '../format/manifest.ts';

/** What has to happen to one branch of an index. */
export interface BranchStep extends ManifestBranch {
  /** The commit that the documents of its bit are at; `undefined` for a branch that is new here. */
  readonly from: string | undefined;
}

export interface BranchSteps {
  readonly steps: readonly [BranchStep, ...BranchStep[]];
  /** Bits of branches that leave the index. */
  readonly freed: readonly number[];
}

/**
 * Gives each branch a bit: the default branch, whatever it is called, the first; a known one the one it has; a new one
 * the next that is free. @throws InvalidInput for more than 64 branches
 */
export function assignBranches(
  present: readonly ManifestBranch[],
  wanted: readonly [BranchHead, ...BranchHead[]],
): BranchSteps {
  const [first, ...others] = wanted;
  const named = [...new Map(others.map((branch) => [branch.name, branch])).values()].filter(
    ({ name }) => name !== first.name,
  );
  if (named.length >= mostBranches) {
    throw new InvalidInput(`At most ${mostBranches} branches of a repository can be indexed.`, {
      code: 'too_many_branches',
    });
  }
  const known = new Map(present.filter(({ bit }) => bit > 0).map((branch) => [branch.name, branch]));
  const kept = named.flatMap(({ name }) => known.get(name) ?? []);
  const taken = new Set([0, ...kept.map(({ bit }) => bit)]);
  const free = Array.from({ length: mostBranches }, (_, bit) => bit).filter((bit) => !taken.has(bit));
  const steps = named.map(({ name, commit }): BranchStep => {
    const former = known.get(name);
    return { name, commit, bit: former?.bit ?? free.shift() ?? 0, from: former?.commit };
  });
  return {
    steps: [{ ...pick(first), bit: 0, from: present.find(({ bit }) => bit === 0)?.commit }, ...steps],
    freed: present.map(({ bit }) => bit).filter((bit) => !taken.has(bit)),
  };
}

function pick({ name, commit }: BranchHead): BranchHead {
  return { name, commit };
}
