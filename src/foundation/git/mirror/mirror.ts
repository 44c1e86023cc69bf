import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';
import type { Progress } from '../../kernel/text/progress.ts';
import { resolveCommit } from '../objects/objects.ts';
import type { GitDeps } from '../process/git-deps.ts';
import { GitError } from '../process/git-error.ts';
import { checkGitVersion } from '../process/git-version.ts';
import { gitOutput } from '../process/spawn-git.ts';
import type { GitCredentials } from '../remote/git-credentials.ts';
import { type RemoteTips, remoteTips } from '../remote/remote-tips.ts';
import { fetchArgs, type RemoteRun, runRemote } from '../remote/run-remote.ts';
import { throughRedirects } from '../remote/through-redirects.ts';
import type { GitSource } from '../source/git-source.ts';
import { buildBare } from './build-bare.ts';
import { defaultMirrorLimits, type MirrorLimits, withinLimits } from './mirror-limits.ts';
import {
  branchRefOf,
  keepBranches,
  mirroredBranches,
  mirroredRef,
  nameDefaultBranch,
  removeStaleLocks,
} from './mirrored-branches.ts';
import { mergePacks, removeUnfinishedPacks } from './packs.ts';

export interface MirrorRequest {
  readonly source: GitSource;
  /** The branch, checked by `checkRefName`. Default: the current default branch of the source. */
  readonly branch?: string;
  /** Further branches, by name or pattern, checked by `checkBranchPatterns`. */
  readonly branches?: readonly string[];
  /** Folder of the bare mirror; its parent is created if missing. Only one writer at a time. */
  readonly gitDir: string;
  readonly limits?: MirrorLimits;
  /** Called about once per percent of a phase. */
  readonly onProgress?: (progress: Progress) => void;
  readonly signal: AbortSignal;
  /** For a host that requires them; used over http(s) only. */
  readonly credentials?: GitCredentials | undefined;
  readonly deps: GitDeps;
}

export interface Mirrored {
  /** The commit of the mirror's `HEAD`. */
  readonly commit: string;
  /** Name of the default branch; `HEAD` if the source has no branch checked out. */
  readonly branch: string;
  /**
   * Number of requested further branches that are not mirrored, by reason; `mirroredBranches` lists the mirrored ones.
   * `commits_before_missing_object_<id>` is 1 if older commits are not mirrored, because the source lacks that object.
   */
  readonly skippedBranches: Readonly<Record<string, number>>;
}

/**
 * Creates a bare mirror of the requested branches with their full history. `gitDir` appears complete or not at all,
 * and replaces a former mirror. There is no work tree, so links, submodules and filters of the repository have no
 * effect.
 * @throws GitError, RefusedDestination, OutboundError; the signal's reason when that was aborted.
 */
export async function cloneMirror(request: MirrorRequest): Promise<Mirrored> {
  await checkGitVersion();
  return buildBare(request.gitDir, (folder) =>
    bounded(request, folder, async (work) => {
      const { run, tips } = await reachTips(work, dirname(request.gitDir));
      await initMirror(folder, tips.head.commit);
      return cloneTips({ ...run, folder }, tips, work);
    }),
  );
}

/**
 * Updates a mirror from its source. It follows force pushes and drops deleted branches; commits that are no longer
 * reachable stay readable.
 * @throws as `cloneMirror`; the mirror then stays as it was, except that deleted branches may be missing.
 */
export async function fetchMirror(request: MirrorRequest): Promise<Mirrored> {
  const { gitDir } = request;
  await checkGitVersion();
  await removeUnfinishedPacks(gitDir);
  await removeStaleLocks(gitDir);
  return bounded(request, gitDir, async (work) => {
    const { run, tips } = await reachTips(work, gitDir);
    if (await mirrorHolds(gitDir, tips)) {
      await fetchOlder(run, tips);
      return mirroredFrom(gitDir, tips, tips.head.commit);
    }
    const mirrored = await fetchTips(run, tips, work);
    await mergePacks(gitDir, work.signal);
    return mirrored;
  });
}

/**
 * Reads the branches that a mirror of this request would have now. Costs one `git ls-remote`; nothing is written.
 * @throws as `fetchMirror`
 */
export async function readSourceTips(
  request: Omit<MirrorRequest, 'gitDir'>,
  folder: string,
): Promise<RemoteTips> {
  return (await reachTips(request, folder)).tips;
}

/** Runs the work within the limits, which abort its signal. */
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

/** Reads the tips to mirror and prepares the connection to the source. */
function reachTips(request: Omit<MirrorRequest, 'gitDir'>, folder: string): Promise<Reached> {
  const { source, credentials, deps, signal, onProgress, limits = defaultMirrorLimits } = request;
  const { stallMs } = limits;
  const reached = { source, credentials, deps, signal, folder, stallMs, onProgress };
  return throughRedirects(reached, async (run) => ({
    run,
    tips: await remoteTips(run, request.branch, request.branches ?? []),
  }));
}

/** Creates the mirror with the object format of the source: 64 digits are SHA-256. */
async function initMirror(folder: string, commit: string): Promise<void> {
  const format = commit.length === 64 ? 'sha256' : 'sha1';
  await gitOutput(folder, ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`]);
  await gitOutput(folder, ['symbolic-ref', 'HEAD', mirroredRef]);
}

/**
 * Returns whether the mirror has exactly these branches at these commits. If its default branch has no commit, a
 * fetch must repair it.
 */
export async function mirrorHolds(gitDir: string, { head, further }: RemoteTips): Promise<boolean> {
  if ((await resolveCommit(gitDir, 'HEAD')) !== head.commit) return false;
  const [first, ...others] = await mirroredBranches(gitDir);
  const present = new Map(others.map(({ name, commit }) => [name, commit]));
  return (
    first.name === head.branch &&
    present.size === further.length &&
    further.every(({ branch, commit }) => present.get(branch) === commit)
  );
}

/**
 * Maximum number of attempts. If a branch is deleted between reading the tips and fetching them, the fetch takes
 * none, and the tips are read again.
 */
const maxAttempts = 3;

/** Numbers of commits of each branch that are tried if the source lacks objects of older ones. */
const depths = [10_000, 1_000, 100, 10, 1];

/** Fetches all commits of the branches; as many of the newest as the source has completely if it lacks an object. */
async function cloneTips(run: RemoteRun, tips: RemoteTips, request: MirrorRequest): Promise<Mirrored> {
  let failure: unknown;
  for (const depth of [undefined, ...depths]) {
    try {
      return await fetchTips(run, tips, request, depth);
    } catch (error) {
      failure ??= error;
      const object = missingObject(failure);
      if (object === undefined || missingObject(error) === undefined) throw error;
      await removeUnfinishedPacks(run.folder);
      await writeFile(markOf(run.folder), object);
    }
  }
  throw failure;
}

/** Fetches the older commits of a mirror that lacks some, if the source has all of their objects by now. */
async function fetchOlder(run: RemoteRun, tips: RemoteTips): Promise<void> {
  if ((await objectBefore(run.folder)) === undefined) return;
  try {
    await fetchOnce(run, tips, unlimited);
    await rm(markOf(run.folder));
  } catch (error) {
    // The mirror has what it had, whatever the source lacks of the older commits.
    if (!(error instanceof GitError && error.reason === 'damaged')) throw error;
    await removeUnfinishedPacks(run.folder);
  }
}

/** The depth of all commits (`git fetch --unshallow`). */
const unlimited = 2 ** 31 - 1;

function missingObject(error: unknown): string | undefined {
  const object = error instanceof GitError ? error.detail?.['object'] : undefined;
  return typeof object === 'string' ? object : undefined;
}

/** The path of the mark of a mirror without older commits. It has the id of the missing object. */
function markOf(gitDir: string): string {
  return join(gitDir, 'orgctx-missing-object');
}

async function objectBefore(gitDir: string): Promise<string | undefined> {
  try {
    return await readFile(markOf(gitDir), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function fetchTips(
  run: RemoteRun,
  initialTips: RemoteTips,
  request: MirrorRequest,
  depth?: number,
): Promise<Mirrored> {
  let tips = initialTips;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await fetchOnce(run, tips, depth);
      break;
    } catch (error) {
      const vanished = error instanceof GitError && error.reason === 'branch_not_found';
      if (!vanished || tips.further.length === 0 || attempt === maxAttempts) throw error;
      tips = await remoteTips(run, request.branch, request.branches ?? []);
    }
  }
  const commit = await resolveCommit(run.folder, 'HEAD');
  if (commit === undefined) throw new GitError('damaged', 'The fetched branch has no commit.');
  return mirroredFrom(run.folder, tips, commit);
}

async function fetchOnce(run: RemoteRun, { head, further }: RemoteTips, depth?: number): Promise<void> {
  await keepBranches(
    run.folder,
    further.map(({ branch }) => branch),
  );
  const refspecs = further.map(({ ref, branch }) => `+${ref}:${branchRefOf(branch)}`);
  const [command, ...args] = fetchArgs(run.source.url, `+${head.ref}:${mirroredRef}`, ...refspecs);
  await runRemote([command, ...(depth === undefined ? [] : [`--depth=${depth}`]), ...args], run);
  await nameDefaultBranch(run.folder, head.branch);
}

async function mirroredFrom(
  gitDir: string,
  { head, skippedBranches }: RemoteTips,
  commit: string,
): Promise<Mirrored> {
  const object = await objectBefore(gitDir);
  const left = object && { [`commits_before_missing_object_${object.slice(0, 12)}`]: 1 };
  return { commit, branch: head.branch, skippedBranches: { ...skippedBranches, ...left } };
}
