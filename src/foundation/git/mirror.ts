import { dirname } from 'node:path';
import type { Progress } from '../kernel/progress.ts';
import { untilAborted } from '../net/until-aborted.ts';
import { redirectTarget } from './follow-redirect.ts';
import type { GitDeps } from './git-deps.ts';
import { GitError } from './git-error.ts';
import type { GitSource } from './git-source.ts';
import { checkGitVersion } from './git-version.ts';
import { buildMirror } from './mirror-folder.ts';
import { defaultMirrorLimits, type MirrorLimits, withinLimits } from './mirror-limits.ts';
import { joinPacks, removeUnfinishedPacks } from './mirror-packs.ts';
import { resolveCommit } from './objects.ts';
import { reachSource } from './reach-source.ts';
import { type RemoteHead, remoteHead } from './remote-head.ts';
import { type RemoteRun, runRemote } from './run-remote.ts';
import { gitOutput } from './spawn-git.ts';

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
  return buildMirror(request.gitDir, (folder) =>
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

const maxRedirects = 5;

/** The tip to mirror and how to get there, after the redirects of the source, each checked like the source itself. */
async function reachHead(request: MirrorRequest, folder: string): Promise<Reached> {
  let source = request.source;
  for (let redirects = 0; ; redirects += 1) {
    const run = await openRun(request, source, folder);
    try {
      return { run, head: await remoteHead(run, request.branch) };
    } catch (error) {
      const moved = error instanceof GitError && error.reason === 'redirected' && redirects < maxRedirects;
      const target = moved ? await redirectTarget(source, request.deps, request.signal) : undefined;
      if (target === undefined) throw error;
      source = target;
    }
  }
}

async function openRun(request: MirrorRequest, source: GitSource, folder: string): Promise<RemoteRun> {
  request.signal.throwIfAborted();
  return {
    source,
    process: await untilAborted(reachSource(source, request.deps), request.signal),
    folder,
    stallMs: (request.limits ?? defaultMirrorLimits).stallMs,
    signal: request.signal,
    onProgress: request.onProgress,
  };
}

/** The object format is the source's: 64 digits are SHA-256. */
async function initMirror(folder: string, commit: string): Promise<void> {
  const format = commit.length === 64 ? 'sha256' : 'sha1';
  await gitOutput(folder, ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`]);
  await gitOutput(folder, ['symbolic-ref', 'HEAD', mirroredRef]);
}

async function fetchHead(run: RemoteRun, head: RemoteHead): Promise<Mirrored> {
  const args = [
    'fetch',
    '--progress',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    // A source may itself be shallow, as the checkouts of build services are.
    '--update-shallow',
    '--',
    run.source.url,
    `+${head.ref}:${mirroredRef}`,
  ];
  await runRemote(args, run);
  const commit = await resolveCommit(run.folder, 'HEAD');
  if (commit === undefined) throw new GitError('damaged', 'The fetched branch names no commit.');
  return { commit, branch: head.branch };
}
