import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildBare } from '../build-bare.ts';
import type { GitCredentials } from '../git-credentials.ts';
import type { GitDeps } from '../git-deps.ts';
import { GitError, type GitReason } from '../git-error.ts';
import type { GitSource } from '../git-source.ts';
import { checkGitVersion } from '../git-version.ts';
import { defaultMirrorLimits, type MirrorLimits, withinLimits } from '../mirror-limits.ts';
import { resolveCommit } from '../objects.ts';
import { checkRefName } from '../ref-name.ts';
import { fetchArgs, type RemoteRun, runRemote } from '../run-remote.ts';
import { gitOutput } from '../spawn-git.ts';
import { throughRedirects } from '../through-redirects.ts';
import { contextRef } from './context-refs.ts';
import { diskFailure } from './copy-failure.ts';
import { hasMark, markPath, markText } from './copy-mark.ts';

export interface ContextRepositoryRequest {
  readonly source: GitSource;
  /** Checked by `checkRefName`. */
  readonly branch: string;
  /** The bare repository's folder; its parent is made when missing. One writer at a time. */
  readonly gitDir: string;
  /** For https; a source over ssh has the service's own key. */
  readonly credentials?: GitCredentials;
  readonly limits?: MirrorLimits;
  readonly signal: AbortSignal;
  readonly deps: GitDeps;
}

export interface ContextTip {
  /** What the branch names at the source; `undefined` while it does not exist there. */
  readonly tip: string | undefined;
}

/**
 * Makes or updates the local copy of one branch that commits are written on: bare, with commits and folders but no file
 * contents. A copy that is torn, too large or of another source is made anew: the source has all that is in it.
 * @throws GitError, RefusedDestination, OutboundError; the signal's reason when that was aborted.
 */
export async function ensureContextRepository(request: ContextRepositoryRequest): Promise<ContextTip> {
  checkRefName(request.branch);
  await checkGitVersion();
  const { source, branch, gitDir } = request;
  if (await hasMark(gitDir, { source: source.url, branch })) {
    try {
      return await updateCopy(request);
    } catch (error) {
      if (!(error instanceof GitError) || !helpedByAnother.has(error.reason)) throw error;
    }
  }
  try {
    return await buildBare(gitDir, (folder) => makeCopy(request, folder));
  } catch (error) {
    // No more than that: of a copy in the making, what Git cannot read came from the source.
    throw diskFailure(error) ?? error;
  }
}

/** A lock that a killed process left, objects that do not fit together, rests of years. */
const helpedByAnother: ReadonlySet<GitReason> = new Set(['damaged', 'torn', 'too_large', 'failed']);

function updateCopy(request: ContextRepositoryRequest): Promise<ContextTip> {
  return reach(request, request.gitDir, (run) => fetchBranch(run, request.branch));
}

/** Made by its parts, so that no address and no setting gets into its files. */
function makeCopy(request: ContextRepositoryRequest, folder: string): Promise<ContextTip> {
  const { source, branch } = request;
  return reach(request, folder, async (run) => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    const format = await objectFormat(run, branch);
    await gitOutput(folder, ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`]);
    await gitOutput(folder, ['symbolic-ref', 'HEAD', contextRef]);
    const tip = await fetchBranch(run, branch);
    await writeFile(markPath(folder), markText({ source: source.url, branch }), { flush: true });
    return tip;
  });
}

function reach<T>(
  request: ContextRepositoryRequest,
  folder: string,
  work: (run: RemoteRun) => Promise<T>,
): Promise<T> {
  const { source, credentials, deps, limits = defaultMirrorLimits } = request;
  return withinLimits(limits, folder, request.signal, (signal) =>
    throughRedirects({ source, credentials, deps, folder, stallMs: limits.stallMs, signal }, work),
  );
}

/**
 * The hash that a source names objects with. A source without a commit tells it in its greeting alone (gitprotocol-v2(5):
 * object-format), which Git shows to nobody but its trace of packets.
 */
async function objectFormat(run: RemoteRun, branch: string): Promise<'sha1' | 'sha256'> {
  const trace = join(run.folder, 'packets');
  const process = { ...run.process, variables: { ...run.process.variables, GIT_TRACE_PACKET: trace } };
  const nowhere = { ...run, process, folder: dirname(run.folder) };
  await runRemote(['ls-remote', '--', run.source.url, `refs/heads/${branch}`], nowhere);
  const greeting = await firstBytes(trace, greetingBytes);
  await rm(trace, { force: true });
  const told = greeting
    .split('\n')
    .some((line) => line.includes('< ') && line.includes('object-format=sha256'));
  return told ? 'sha256' : 'sha1';
}

/** Capabilities come first, in the greeting or with the first of its refs; a packet has at most 64 KiB. */
const greetingBytes = 128 * 1024;

async function firstBytes(file: string, limit: number): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(limit), 0, limit, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Without file contents (partial-clone: blob:none). That objects are missing on purpose is told to this process alone, and
 * not to the repository's configuration: no other process then tries to fetch them, whichever version of Git it is.
 */
async function fetchBranch(run: RemoteRun, branch: string): Promise<ContextTip> {
  const config = [
    ...(run.process.config ?? []),
    ['remote.source.url', run.source.url],
    ['remote.source.promisor', 'true'],
    ['remote.source.partialCloneFilter', 'blob:none'],
  ] as const;
  const args = fetchArgs('source', `+refs/heads/${branch}:${contextRef}`);
  try {
    await runRemote(args, { ...run, process: { ...run.process, config } });
  } catch (error) {
    if (!(error instanceof GitError) || error.reason !== 'branch_not_found') throw error;
    await gitOutput(run.folder, ['update-ref', '-d', contextRef], { signal: run.signal });
    return { tip: undefined };
  }
  const tip = await resolveCommit(run.folder, 'HEAD');
  if (tip === undefined) throw new GitError('damaged', 'The fetched branch names no commit.');
  return { tip };
}
