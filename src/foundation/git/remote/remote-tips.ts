import { setImmediate as nextTick } from 'node:timers/promises';
import { visibleLine } from '../../kernel/text/visible-text.ts';
import { isObjectId } from '../objects/commit-id.ts';
import { GitError } from '../process/git-error.ts';
import { branchMatcher } from '../source/branch-pattern.ts';
import { isRefName } from '../source/ref-name.ts';
import { type RemoteRun, runRemote } from './run-remote.ts';

export interface RemoteHead {
  /** The ref to fetch: `refs/heads/<branch>`, or `HEAD` if the source has no branch checked out. */
  readonly ref: string;
  /** Name for display; `HEAD` if the source has no branch checked out. */
  readonly branch: string;
  readonly commit: string;
}

export interface RemoteTips {
  readonly head: RemoteHead;
  /** Further branches, in the order of the patterns; for one pattern the highest numbers first. */
  readonly further: readonly RemoteHead[];
  /** Number of requested branches that are not included, by reason. */
  readonly skippedBranches: Readonly<Record<string, number>>;
}

/** Maximum number of branches besides the default one. Together they are as many as an index can distinguish. */
const maxFurtherBranches = 63;

/**
 * Reads the tip of a branch at its source (default: the source's default branch), and those of further branches by
 * name or pattern (`checkBranchPatterns`). A further branch that does not exist is not an error: it is counted.
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
  if (commit === undefined) throw await missingTip(run, branch);
  const target = refs.symbolic.get(wanted) ?? wanted;
  // A default branch with an unsafe name is fetched as HEAD.
  const ref = isRefName(branchOf(target)) ? target : wanted;
  return { head: { ref, branch: branchOf(ref), commit }, ...(await furtherTips(refs, patterns, ref)) };
}

async function furtherTips(
  { commits, branches }: Refs,
  patterns: readonly string[],
  head: string,
): Promise<Pick<RemoteTips, 'further' | 'skippedBranches'>> {
  // The server may not be Git: a name with a colon would be read as a target of the fetch.
  const names = branches.filter(isRefName).toSorted(highestFirst);
  const chosen = new Set<string>();
  for (const pattern of patterns) {
    for (const name of names.filter(branchMatcher(pattern))) chosen.add(name);
    // A host may name 100,000 branches. Yield to other work between patterns.
    await nextTick();
  }
  const missing = patterns.filter((pattern) => !pattern.includes('*') && !chosen.has(pattern));
  chosen.delete(branchOf(head));
  const further = [...chosen].slice(0, maxFurtherBranches).map((branch) => {
    const ref = branchRef(branch);
    return { ref, branch, commit: commits.get(ref) ?? '' };
  });
  const counts = {
    branch_not_found: missing.length,
    branch_over_limit: chosen.size - further.length,
    unsafe_branch_name: patterns.length === 0 ? 0 : branches.length - names.length,
  };
  return {
    further,
    skippedBranches: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
  };
}

/** Sorts `release/10` before `release/9`: if not all fit, the newest are the most useful. */
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
  /** The names of all branches. Different names that are not UTF-8 may be the same text. */
  readonly branches: readonly string[];
}

/** Parses lines `<oid>\t<ref>` and `ref: <target>\t<ref>`. A pattern also matches the ends of longer refs. */
function parseRefs(output: string): Refs {
  const commits = new Map<string, string>();
  const symbolic = new Map<string, string>();
  const branches: string[] = [];
  for (const line of output.split('\n')) {
    const [left = '', ref = ''] = line.split('\t');
    if (isObjectId(left)) {
      commits.set(ref, left);
      if (ref.startsWith('refs/heads/')) branches.push(branchOf(ref));
    }
    const target = /^ref: (refs\/heads\/\S+)$/.exec(left)?.[1];
    if (target !== undefined) symbolic.set(ref, target);
  }
  return { commits, symbolic, branches };
}

async function missingTip(run: RemoteRun, branch: string | undefined): Promise<GitError> {
  const output = await runRemote(['ls-remote', '--heads', '--', run.source.url], run);
  const { branches } = parseRefs(output);
  if (branches.length === 0) {
    return new GitError('empty', 'The repository has no commit. Push one, then sync the repository.');
  }
  const examples = branches
    .slice(0, 5)
    .map((name) => visibleLine(name.slice(0, 100)))
    .join(', ');
  const what =
    branch === undefined ? 'The repository has no default branch' : `The repository has no branch ${branch}`;
  return new GitError(
    'branch_not_found',
    `${what}. It has ${examples}${branches.length > 5 ? ', …' : ''}: name one of them.`,
  );
}
