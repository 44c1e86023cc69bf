import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildBare } from '../mirror/build-bare.ts';
import { defaultMirrorLimits, type MirrorLimits, withinLimits } from '../mirror/mirror-limits.ts';
import { resolveCommit } from '../objects/objects.ts';
import type { GitDeps } from '../process/git-deps.ts';
import { GitError, type GitReason } from '../process/git-error.ts';
import { checkGitVersion } from '../process/git-version.ts';
import { gitOutput } from '../process/spawn-git.ts';
import type { GitCredentials } from '../remote/git-credentials.ts';
import { fetchArgs, type RemoteRun, runRemote } from '../remote/run-remote.ts';
import { throughRedirects } from '../remote/through-redirects.ts';
import type { GitSource } from '../source/git-source.ts';
import { checkRefName } from '../source/ref-name.ts';
import { contextRef } from './context-refs.ts';
import { diskFailure } from './copy-failure.ts';
import { hasMark, markPath, markText } from './copy-mark.ts';

export interface ContextRepositoryRequest {
  readonly source: GitSource;
  /** Checked by `checkRefName`. */
  readonly branch: string;
  /** Folder of the bare repository; its parent is created if missing. Only one writer at a time. */
  readonly gitDir: string;
  /** Credentials for https. A source over ssh uses the service's key. */
  readonly credentials?: GitCredentials;
  readonly limits?: MirrorLimits;
  readonly signal: AbortSignal;
  readonly deps: GitDeps;
}

export interface ContextTip {
  /** The tip of the branch at the source; `undefined` if the branch does not exist there. */
  readonly tip: string | undefined;
}

/**
 * Creates or updates the local copy of one branch on which commits are written: bare, with commits and trees but
 * without file contents. A copy that is damaged, too large or of another source is created again, since the source
 * has everything that is in it.
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
      if (!(error instanceof GitError) || !fixedByNewCopy.has(error.reason)) throw error;
    }
  }
  try {
    return await buildBare(gitDir, (folder) => makeCopy(request, folder));
  } catch (error) {
    // Only a full disk is converted: while a copy is being created, anything that Git cannot read came from the
    // source.
    throw diskFailure(error) ?? error;
  }
}

/** Errors that a new copy can fix: stale locks, inconsistent objects, accumulated leftovers. */
const fixedByNewCopy: ReadonlySet<GitReason> = new Set(['damaged', 'torn', 'too_large', 'failed']);

function updateCopy(request: ContextRepositoryRequest): Promise<ContextTip> {
  return reach(request, request.gitDir, (run) => fetchBranch(run, request.branch));
}

/** Creates the copy step by step, so that no address and no setting is written into its files. */
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
 * Returns the object format of a source. If the source has no commit, only its greeting contains it
 * (gitprotocol-v2(5): object-format), which Git only writes to its packet trace.
 */
async function objectFormat(run: RemoteRun, branch: string): Promise<'sha1' | 'sha256'> {
  const trace = join(run.folder, 'packets');
  const process = { ...run.process, variables: { ...run.process.variables, GIT_TRACE_PACKET: trace } };
  const outsideRepository = { ...run, process, folder: dirname(run.folder) };
  await runRemote(['ls-remote', '--', run.source.url, `refs/heads/${branch}`], outsideRepository);
  const greeting = await firstBytes(trace, greetingBytes);
  await rm(trace, { force: true });
  const isSha256 = greeting
    .split('\n')
    .some((line) => line.includes('< ') && line.includes('object-format=sha256'));
  return isSha256 ? 'sha256' : 'sha1';
}

/**
 * Number of bytes of the packet trace to read. Capabilities come first, in the greeting or with its first ref, and a
 * packet has at most 64 KiB.
 */
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
 * Fetches the branch without file contents (partial-clone: blob:none). Only this process is configured to expect
 * missing objects, not the repository: no other process then tries to fetch them, in any version of Git.
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
  if (tip === undefined) throw new GitError('damaged', 'The fetched branch has no commit.');
  return { tip };
}
