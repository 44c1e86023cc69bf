import { setImmediate as nextTurn } from 'node:timers/promises';
import { visibleLine } from '../kernel/visible-text.ts';
import { branchMatcher } from './branch-pattern.ts';
import { isObjectId } from './commit-id.ts';
import { GitError } from './git-error.ts';
import { isRefName } from './ref-name.ts';
import { type RemoteRun, runRemote } from './run-remote.ts';

export interface RemoteHead {
  /** What to fetch: `refs/heads/<branch>`, or `HEAD` where the source has none checked out. */
  readonly ref: string;
  /** For people; `HEAD` where the source has no branch checked out. */
  readonly branch: string;
  readonly commit: string;
}

export interface RemoteTips {
  readonly head: RemoteHead;
  /** Those beside it, in the order of the patterns; of one pattern the highest numbers first. */
  readonly further: readonly RemoteHead[];
  /** Branches that were asked for and are not among them, counted by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Branches of a mirror beside its default one; with it they are as many as an index can tell apart. */
const mostFurther = 63;

/**
 * The tip of a branch at its source, without a branch of the one the source calls its default; and those of further
 * ones, by name or pattern (`checkBranchPatterns`). A further branch that is not there is no fault: it is counted.
 * @throws GitError `branch_not_found`, `empty`, and those of `runRemote`
 */
export async function remoteTips(
  run: RemoteRun,
  branch: string | undefined,
  patterns: readonly string[],
): Promise<RemoteTips> {
  const wanted = branch === undefined ? 'HEAD' : branchRef(branch);
  const args = ['ls-remote', '--symref', '--', run.source.url, wanted, ...patterns.map(branchRef)];
  const refs = parseRefs(await runRemote(args, run));
  const commit = refs.commits.get(wanted);
  if (commit === undefined) throw await noTip(run, branch);
  const ref = refs.symbolic.get(wanted) ?? wanted;
  return { head: { ref, branch: branchOf(ref), commit }, ...(await furtherTips(refs, patterns, ref)) };
}

async function furtherTips(
  { commits }: Refs,
  patterns: readonly string[],
  head: string,
): Promise<Pick<RemoteTips, 'further' | 'leftOut'>> {
  const offered = [...commits.keys()].filter((ref) => ref.startsWith('refs/heads/')).map(branchOf);
  // Git on the other side may be no Git: a name with a colon would be read as a target of the fetch.
  const names = offered.filter(isRefName).toSorted(highestFirst);
  const chosen = new Set<string>();
  for (const pattern of patterns) {
    for (const name of names.filter(branchMatcher(pattern))) chosen.add(name);
    // A host may name 100,000 branches; others get their turn meanwhile.
    await nextTurn();
  }
  const missing = patterns.filter((pattern) => !pattern.includes('*') && !chosen.has(pattern));
  chosen.delete(branchOf(head));
  const further = [...chosen].slice(0, mostFurther).map((branch) => {
    const ref = branchRef(branch);
    return { ref, branch, commit: commits.get(ref) ?? '' };
  });
  const counts = {
    branch_not_found: missing.length,
    branch_over_limit: chosen.size - further.length,
    unsafe_branch_name: patterns.length === 0 ? 0 : offered.length - names.length,
  };
  return { further, leftOut: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) };
}

/** `release/10` before `release/9`: where not all of them fit, the newest are worth most. */
function highestFirst(a: string, b: string): number {
  return -byNumbers.compare(a, b) || (a < b ? 1 : -1);
}

const byNumbers = new Intl.Collator('en', { numeric: true });

function branchRef(branch: string): string {
  return `refs/heads/${branch}`;
}

function branchOf(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

interface Refs {
  readonly commits: ReadonlyMap<string, string>;
  readonly symbolic: ReadonlyMap<string, string>;
}

/** Lines `<oid>\t<ref>` and `ref: <target>\t<ref>`; a pattern also matches the ends of longer refs. */
function parseRefs(output: string): Refs {
  const commits = new Map<string, string>();
  const symbolic = new Map<string, string>();
  for (const line of output.split('\n')) {
    const [left = '', ref = ''] = line.split('\t');
    if (isObjectId(left)) commits.set(ref, left);
    const target = /^ref: (refs\/heads\/\S+)$/.exec(left)?.[1];
    if (target !== undefined) symbolic.set(ref, target);
  }
  return { commits, symbolic };
}

async function noTip(run: RemoteRun, branch: string | undefined): Promise<GitError> {
  const output = await runRemote(['ls-remote', '--heads', '--', run.source.url], run);
  const branches = [...parseRefs(output).commits.keys()].map(branchOf);
  if (branches.length === 0) {
    return new GitError('empty', 'The repository has no commit yet. Push one, then sync the repository.');
  }
  const some = branches
    .slice(0, 5)
    .map((name) => visibleLine(name.slice(0, 100)))
    .join(', ');
  const what =
    branch === undefined
      ? 'The repository names no default branch'
      : `The repository has no branch ${branch}`;
  return new GitError(
    'branch_not_found',
    `${what}. It has ${some}${branches.length > 5 ? ', …' : ''}: name one of them.`,
  );
}
