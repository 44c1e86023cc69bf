import { dirname } from 'node:path';
import type { Progress } from '../kernel/progress.ts';
import { buildBare } from './build-bare.ts';
import type { GitDeps } from './git-deps.ts';
import { GitError } from './git-error.ts';
import type { GitSource } from './git-source.ts';
import { checkGitVersion } from './git-version.ts';
import { defaultMirrorLimits, type MirrorLimits, withinLimits } from './mirror-limits.ts';
import {
  branchRefOf,
  keepBranches,
  mirroredBranches,
  mirroredRef,
  nameDefaultBranch,
  removeStaleLocks,
} from './mirrored-branches.ts';
import { resolveCommit } from './objects.ts';
import { joinPacks, removeUnfinishedPacks } from './packs.ts';
import { type RemoteTips, remoteTips } from './remote-tips.ts';
import { fetchArgs, type RemoteRun, runRemote } from './run-remote.ts';
import { gitOutput } from './spawn-git.ts';
import { throughRedirects } from './through-redirects.ts';

export interface MirrorRequest {
  readonly source: GitSource;
  /** Checked by `checkRefName`; absent: the source's default branch, whichever that is each time. */
  readonly branch?: string;
  /** Further branches, by name or pattern; checked by `checkBranchPatterns`. */
  readonly branches?: readonly string[];
  /** The bare mirror's folder; its parent is made when missing. One writer at a time. */
  readonly gitDir: string;
  readonly limits?: MirrorLimits;
  /** About once for every percent of a phase. */
  readonly onProgress?: (progress: Progress) => void;
  readonly signal: AbortSignal;
  readonly deps: GitDeps;
}

export interface Mirrored {
  /** What `HEAD` of the mirror is now. */
  readonly commit: string;
  /** `HEAD` where the source has no branch checked out. */
  readonly branch: string;
  /** Further branches that were asked for and are not mirrored, counted by reason; see `mirroredBranches` for the rest. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/**
 * Makes a bare mirror of the branches asked for with their whole history; `gitDir` appears whole or not at all,
 * replacing a former mirror. No work tree exists, so links, submodules and filters of the repository stay inert.
 * @throws GitError, RefusedDestination, OutboundError; the signal's reason when that was aborted.
 */
export async function cloneMirror(request: MirrorRequest): Promise<Mirrored> {
  await checkGitVersion();
  return buildBare(request.gitDir, (folder) =>
    bounded(request, folder, async (work) => {
      const { run, tips } = await reachTips(work, dirname(request.gitDir));
      await initMirror(folder, tips.head.commit);
      return fetchTips({ ...run, folder }, tips, work);
    }),
  );
}

/**
 * Brings a mirror up to its source. A force push moves it; branches that are gone leave it; commits left behind stay
 * readable.
 * @throws as `cloneMirror`; the mirror then answers as before, but for branches that are gone.
 */
export async function fetchMirror(request: MirrorRequest): Promise<Mirrored> {
  const { gitDir } = request;
  await checkGitVersion();
  await removeUnfinishedPacks(gitDir);
  await removeStaleLocks(gitDir);
  return bounded(request, gitDir, async (work) => {
    const { run, tips } = await reachTips(work, gitDir);
    if (await holds(gitDir, tips)) return mirroredFrom(tips, tips.head.commit);
    const mirrored = await fetchTips(run, tips, work);
    await joinPacks(gitDir, work.signal);
    return mirrored;
  });
}

/** Puts the limits on a whole piece of work, whose signal they abort. */
function bounded(
  request: MirrorRequest,
  folder: string,
  work: (request: MirrorRequest) => Promise<Mirrored>,
): Promise<Mirrored> {
  const limits = request.limits ?? defaultMirrorLimits;
  return withinLimits(limits, folder, request.signal, (signal) => work({ ...request, signal }));
}

interface Reached {
  readonly run: RemoteRun;
  readonly tips: RemoteTips;
}

/** The tips to mirror and how to get there. */
function reachTips(request: MirrorRequest, folder: string): Promise<Reached> {
  const { source, deps, signal, onProgress, limits = defaultMirrorLimits } = request;
  const { stallMs } = limits;
  return throughRedirects({ source, deps, signal, folder, stallMs, onProgress }, async (run) => ({
    run,
    tips: await remoteTips(run, request.branch, request.branches ?? []),
  }));
}

/** The object format is the source's: 64 digits are SHA-256. */
async function initMirror(folder: string, commit: string): Promise<void> {
  const format = commit.length === 64 ? 'sha256' : 'sha1';
  await gitOutput(folder, ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`]);
  await gitOutput(folder, ['symbolic-ref', 'HEAD', mirroredRef]);
}

/** Whether the mirror has exactly these branches at these commits. A default branch without a commit is for a fetch to mend. */
async function holds(gitDir: string, { head, further }: RemoteTips): Promise<boolean> {
  if ((await resolveCommit(gitDir, 'HEAD')) !== head.commit) return false;
  const [first, ...others] = await mirroredBranches(gitDir);
  const present = new Map(others.map(({ name, commit }) => [name, commit]));
  return (
    first.name === head.branch &&
    present.size === further.length &&
    further.every(({ branch, commit }) => present.get(branch) === commit)
  );
}

/** A branch can go between the look at the tips and their fetch, which then takes none: so often it is looked again. */
const mostLooks = 3;

async function fetchTips(run: RemoteRun, seen: RemoteTips, request: MirrorRequest): Promise<Mirrored> {
  let tips = seen;
  for (let looks = 1; ; looks += 1) {
    try {
      await fetchOnce(run, tips);
      break;
    } catch (error) {
      const vanished = error instanceof GitError && error.reason === 'branch_not_found';
      if (!vanished || tips.further.length === 0 || looks === mostLooks) throw error;
      tips = await remoteTips(run, request.branch, request.branches ?? []);
    }
  }
  const commit = await resolveCommit(run.folder, 'HEAD');
  if (commit === undefined) throw new GitError('damaged', 'The fetched branch names no commit.');
  return mirroredFrom(tips, commit);
}

async function fetchOnce(run: RemoteRun, { head, further }: RemoteTips): Promise<void> {
  await keepBranches(
    run.folder,
    further.map(({ branch }) => branch),
  );
  const refspecs = further.map(({ ref, branch }) => `+${ref}:${branchRefOf(branch)}`);
  await runRemote(fetchArgs(run.source.url, `+${head.ref}:${mirroredRef}`, ...refspecs), run);
  await nameDefaultBranch(run.folder, head.branch);
}

function mirroredFrom({ head, leftOut }: RemoteTips, commit: string): Mirrored {
  return { commit, branch: head.branch, leftOut };
}
