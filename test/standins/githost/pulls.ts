import type { MergeMethod } from './bare-repository.ts';
import type { HostedRepository, Model, Pull } from './model.ts';

/** Why a host refuses to open or reopen a pull request. */
export type PullProblem = 'exists' | 'no-head' | 'no-base' | 'no-commits' | 'merged';

export interface NewPull {
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

export function openPull(repository: HostedRepository, given: NewPull): Pull | PullProblem {
  const problem = problemOf(repository, given);
  if (problem !== undefined) return problem;
  const pull: Pull = {
    ...given,
    number: Math.max(0, ...repository.pulls.map(({ number }) => number)) + 1,
    state: 'open',
    headCommit: repository.bare.branches().get(given.head) ?? '',
    mergedAt: undefined,
    mergeCommit: undefined,
  };
  repository.pulls.push(pull);
  return pull;
}

export function reopenPull(repository: HostedRepository, pull: Pull): PullProblem | undefined {
  if (pull.mergedAt !== undefined) return 'merged';
  if (pull.state === 'open') return undefined;
  const problem = problemOf(repository, pull);
  if (problem === undefined) pull.state = 'open';
  return problem;
}

function problemOf(repository: HostedRepository, { head, base }: Pick<NewPull, 'head' | 'base'>) {
  const branches = repository.bare.branches();
  if (!branches.has(head)) return 'no-head';
  if (!branches.has(base)) return 'no-base';
  const isOpen = (one: Pull): boolean => one.state === 'open' && one.head === head && one.base === base;
  if (repository.pulls.some(isOpen)) return 'exists';
  return repository.bare.git('rev-list', '--count', `${base}..${head}`) === '0' ? 'no-commits' : undefined;
}

/** Merges as a person does with the button of the host; protection does not hold a merge back. */
export function mergePull(
  model: Model,
  repository: HostedRepository,
  pull: Pull,
  { method, deleteBranch }: { readonly method: MergeMethod; readonly deleteBranch: boolean },
): void {
  const { base, head, title } = pull;
  pull.headCommit = repository.bare.branches().get(head) ?? pull.headCommit;
  pull.mergeCommit = repository.bare.merge({ base, head, method, title });
  pull.mergedAt = new Date(model.now()).toISOString();
  pull.state = 'closed';
  if (deleteBranch) repository.bare.git('update-ref', '-d', `refs/heads/${head}`);
}

/** Brings open pull requests to the heads of their branches. A deleted branch closes them. */
export function refreshPulls(repository: HostedRepository): void {
  const branches = repository.bare.branches();
  for (const pull of repository.pulls.filter(({ state }) => state === 'open')) {
    const head = branches.get(pull.head);
    if (head === undefined) pull.state = 'closed';
    else pull.headCommit = head;
  }
}
