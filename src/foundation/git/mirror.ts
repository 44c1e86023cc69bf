import { dirname } from 'node:path';
import type { Progress } from '../kernel/progress.ts';
import { buildBare } from './build-bare.ts';
import type { GitDeps } from './git-deps.ts';
import { GitError } from './git-error.ts';
import type { GitSource } from './git-source.ts';
import { checkGitVersion } from './git-version.ts';
import { defaultMirrorLimits, type MirrorLimits, withinLimits } from './mirror-limits.ts';
import { resolveCommit } from './objects.ts';
import { joinPacks, removeUnfinishedPacks } from './packs.ts';
import { type RemoteHead, remoteHead } from './remote-head.ts';
import { fetchArgs, type RemoteRun, runRemote } from './run-remote.ts';
import { gitOutput } from './spawn-git.ts';
import { throughRedirects } from './through-redirects.ts';

export interface MirrorRequest {
  readonly source: GitSource;
  /** Checked by `checkRefName`; absent: the source's default branch, whichever that is each time. */
  readonly branch?: string;
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
}

/** The mirror's one ref, whatever the branch is called: a branch `a/b` after a branch `a` is no conflict then. */
const mirroredRef = 'refs/orgctx/source';

/**
 * Makes a bare mirror of one branch with its whole history; `gitDir` appears whole or not at all, replacing a former
 * mirror. No work tree exists, so links, submodules and filters of the repository stay inert.
 * @throws GitError, RefusedDestination, OutboundError; the signal's reason when that was aborted.
 */
export async function cloneMirror(request: MirrorRequest): Promise<Mirrored> {
  await checkGitVersion();
  return buildBare(request.gitDir, (folder) =>
    bounded(request, folder, async (work) => {
      const { run, head } = await reachHead(work, dirname(request.gitDir));
      await initMirror(folder, head.commit);
      return fetchHead({ ...run, folder }, head);
    }),
  );
}

/**
 * Brings a mirror up to its source. A force push moves it; commits left behind stay readable.
 * @throws as `cloneMirror`; the mirror then answers as before.
 */
export async function fetchMirror(request: MirrorRequest): Promise<Mirrored> {
  const { gitDir } = request;
  await checkGitVersion();
  await removeUnfinishedPacks(gitDir);
  return bounded(request, gitDir, async (work) => {
    const { run, head } = await reachHead(work, gitDir);
    const present = await resolveCommit(gitDir, 'HEAD');
    if (present === head.commit) return { commit: present, branch: head.branch };
    const mirrored = await fetchHead(run, head);
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
  readonly head: RemoteHead;
}

/** The tip to mirror and how to get there. */
function reachHead(request: MirrorRequest, folder: string): Promise<Reached> {
  const { source, branch, deps, signal, onProgress, limits = defaultMirrorLimits } = request;
  const { stallMs } = limits;
  return throughRedirects({ source, deps, signal, folder, stallMs, onProgress }, async (run) => ({
    run,
    head: await remoteHead(run, branch),
  }));
}

/** The object format is the source's: 64 digits are SHA-256. */
async function initMirror(folder: string, commit: string): Promise<void> {
  const format = commit.length === 64 ? 'sha256' : 'sha1';
  await gitOutput(folder, ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`]);
  await gitOutput(folder, ['symbolic-ref', 'HEAD', mirroredRef]);
}

async function fetchHead(run: RemoteRun, head: RemoteHead): Promise<Mirrored> {
  await runRemote(fetchArgs(run.source.url, `+${head.ref}:${mirroredRef}`), run);
  const commit = await resolveCommit(run.folder, 'HEAD');
  if (commit === undefined) throw new GitError('damaged', 'The fetched branch names no commit.');
  return { commit, branch: head.branch };
}
