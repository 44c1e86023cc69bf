import { InvalidInput } from '../../kernel/errors.ts';
import { isObjectId } from '../objects/commit-id.ts';
import type { GitDeps } from '../process/git-deps.ts';
import { GitError } from '../process/git-error.ts';
import { gitOutput } from '../process/spawn-git.ts';
import type { GitCredentials } from '../remote/git-credentials.ts';
import { gitProxyFailure } from '../remote/git-proxy-failure.ts';
import { type RemoteRun, tryRemote } from '../remote/run-remote.ts';
import { throughRedirects } from '../remote/through-redirects.ts';
import type { GitSource } from '../source/git-source.ts';
import { checkRefName } from '../source/ref-name.ts';
import { classifyPushFailure } from './classify-push-failure.ts';
import { contextRef, stagingRefs } from './context-refs.ts';
import { invalidateCopy } from './copy-mark.ts';
import { receivePackArguments } from './receive-pack.ts';

export interface PushLimits {
  /** Maximum time without output, in milliseconds. */
  readonly stallMs: number;
  /** Maximum total time, in milliseconds. */
  readonly totalMs: number;
}

const defaultPushLimits: PushLimits = { stallMs: 2 * 60_000, totalMs: 30 * 60_000 };

export interface PushRequest {
  readonly source: GitSource;
  readonly branch: string;
  readonly gitDir: string;
  /** The commit from `writeCommit`. */
  readonly commit: string;
  readonly credentials?: GitCredentials;
  readonly limits?: PushLimits;
  readonly signal: AbortSignal;
  readonly deps: GitDeps;
}

/**
 * Pushes a commit to its branch at the source, never by force. Returns `rejected` if the branch has moved meanwhile;
 * then update the repository and write the commit again.
 *
 * `pushed` is confirmed by the source (git-push(1), report-status): its line for this ref states that the branch is
 * at this commit. If the connection breaks before that line, an error is thrown although the push may have succeeded;
 * the next `ensureContextRepository` then finds the commit, and writing the same content again changes nothing.
 * @throws GitError; `protected_branch`, `push_forbidden`, `authentication`, `archived`, `push_declined` and
 * `not_found` persist until somebody changes something at the host. RefusedDestination, OutboundError, the signal's
 * reason.
 */
export async function pushCommit(request: PushRequest): Promise<'pushed' | 'rejected'> {
  checkRefName(request.branch);
  if (!isObjectId(request.commit)) throw new InvalidInput('A commit must be given by its full id.');
  const outcome = await withinLimit(request, (signal) => push({ ...request, signal }));
  if (outcome === 'pushed') await rememberTip(request);
  return outcome;
}

function push(request: PushRequest): Promise<'pushed' | 'rejected'> {
  const { source, credentials, deps, gitDir: folder, signal, limits = defaultPushLimits } = request;
  const redirected = { source, credentials, deps, folder, signal, stallMs: limits.stallMs };
  return throughRedirects({ ...redirected, service: 'git-receive-pack' }, (run) => pushOver(run, request));
}

async function pushOver(run: RemoteRun, request: PushRequest): Promise<'pushed' | 'rejected'> {
  const { commit, branch, gitDir } = request;
  const refs = `${commit}:refs/heads/${branch}`;
  const options = ['--porcelain', '--progress', '--no-follow-tags', ...receivePackArguments(run.source)];
  const args = ['push', ...options, '--', run.source.url, refs];
  const { succeeded, output } = await tryRemote(args, run);
  if (succeeded && confirms(output, refs)) return 'pushed';
  const { source, credentials } = run;
  const failure =
    gitProxyFailure(run, output) ?? classifyPushFailure({ source, branch, output, credentials });
  if (failure === 'rejected') return failure;
  if (failure.reason === 'torn') await invalidateCopy(gitDir);
  throw failure;
}

/**
 * Returns whether the output confirms the push: `<flag>\t<from>:<to>\t…` with the flag blank for an updated branch,
 * `*` for a new one and `=` for one already at the commit.
 */
function confirms(output: string, refs: string): boolean {
  return output.split('\n').some((line) => /^[ *=]\t/.test(line) && line.slice(2).startsWith(`${refs}\t`));
}

async function withinLimit<T>(
  { limits = defaultPushLimits, signal }: PushRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const minutes = Math.ceil(limits.totalMs / 60_000);
  const timeOut = new GitError(
    'timed_out',
    `The push took longer than ${minutes} minutes. It will be retried.`,
  );
  const timer = setTimeout(() => limit.abort(timeOut), limits.totalMs);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Records the pushed tip locally, which saves the next fetch its transfer. Errors are ignored, because the next fetch
 * reports them.
 */
async function rememberTip({ gitDir, commit }: PushRequest): Promise<void> {
  const staged = (await stagingRefs(gitDir)).filter((ref) => ref.commit === commit);
  const lines = [`update ${contextRef} ${commit}`, ...staged.map(({ name }) => `delete ${name} ${commit}`)];
  await gitOutput(gitDir, ['update-ref', '--stdin'], { input: `${lines.join('\n')}\n` }).catch(
    () => undefined,
  );
}
