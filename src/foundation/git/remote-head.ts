import { visibleLine } from '../kernel/visible-text.ts';
import { isObjectId } from './commit-id.ts';
import { GitError } from './git-error.ts';
import { type RemoteRun, runRemote } from './run-remote.ts';

export interface RemoteHead {
  /** What to fetch: `refs/heads/<branch>`, or `HEAD` where the source has none checked out. */
  readonly ref: string;
  /** For people; `HEAD` where the source has no branch checked out. */
  readonly branch: string;
  readonly commit: string;
}

/**
 * The tip of a branch at its source; without a branch, of the one the source calls its default.
 * @throws GitError `branch_not_found`, `empty`, and those of `runRemote`
 */
export async function remoteHead(run: RemoteRun, branch: string | undefined): Promise<RemoteHead> {
  const wanted = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  const output = await runRemote(['ls-remote', '--symref', '--', run.source.url, wanted], run);
  const refs = parseRefs(output);
  const commit = refs.commits.get(wanted);
  if (commit === undefined) throw await noTip(run, branch);
  const ref = refs.symbolic.get(wanted) ?? wanted;
  return { ref, branch: ref.replace(/^refs\/heads\//, ''), commit };
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
  const branches = [...parseRefs(output).commits.keys()].map((ref) => ref.replace(/^refs\/heads\//, ''));
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
