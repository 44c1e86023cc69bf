import { InvalidInput } from '../../kernel/errors.ts';
import { isObjectId } from '../commit-id.ts';
import type { GitCredentials } from '../git-credentials.ts';
import type { GitDeps } from '../git-deps.ts';
import { GitError } from '../git-error.ts';
import type { GitSource } from '../git-source.ts';
import { checkRefName } from '../ref-name.ts';
import { type RemoteRun, tryRemote } from '../run-remote.ts';
import { gitOutput } from '../spawn-git.ts';
import { throughRedirects } from '../through-redirects.ts';
import { classifyPushFailure } from './classify-push-failure.ts';
import { contextRef, stagingRefs } from './context-refs.ts';
import { condemn } from './copy-mark.ts';
import { receivePackArguments } from './receive-pack.ts';

export interface PushLimits {
  /** Milliseconds without a byte of output. */
  readonly stallMs: number;
  /** Milliseconds of the whole. */
  readonly totalMs: number;
}

const defaultPushLimits: PushLimits = { stallMs: 2 * 60_000, totalMs: 30 * 60_000 };

export interface PushRequest {
  readonly source: GitSource;
  readonly branch: string;
  readonly gitDir: string;
  /** From `writeCommit`. */
  readonly commit: string;
  readonly credentials?: GitCredentials;
  readonly limits?: PushLimits;
  readonly signal: AbortSignal;
  readonly deps: GitDeps;
}

/**
 * Makes a commit the tip of its branch at the source, where the branch has not moved meanwhile: never by force.
 * `rejected` when somebody else moved it; then bring the repository up to date and write the commit again.
 *
 * `pushed` is the source's own word (git-push(1), report-status): its line for this ref says that the branch names
 * this commit. When the connection breaks before that line comes, it is an error, though the commit may have landed; the next
 * `ensureContextRepository` then finds it there, and writing the same once more changes nothing.
 * @throws GitError; `protected_branch`, `push_forbidden`, `authentication`, `archived`, `push_declined` and `not_found`
 * stay as they are until somebody changes something at the host. RefusedDestination, OutboundError, the signal's reason.
 */
export async function pushCommit(request: PushRequest): Promise<'pushed' | 'rejected'> {
  checkRefName(request.branch);
  if (!isObjectId(request.commit)) throw new InvalidInput('A commit is named by its whole id.');
  const outcome = await withinTime(request, (signal) => push({ ...request, signal }));
  if (outcome === 'pushed') await rememberTip(request);
  return outcome;
}

function push(request: PushRequest): Promise<'pushed' | 'rejected'> {
  const { source, credentials, deps, gitDir: folder, signal, limits = defaultPushLimits } = request;
  const approach = { source, credentials, deps, folder, signal, stallMs: limits.stallMs };
  return throughRedirects({ ...approach, service: 'git-receive-pack' }, (run) => pushOver(run, request));
}

async function pushOver(run: RemoteRun, request: PushRequest): Promise<'pushed' | 'rejected'> {
  const { commit, branch, gitDir } = request;
  const refs = `${commit}:refs/heads/${branch}`;
  const options = ['--porcelain', '--progress', '--no-follow-tags', ...receivePackArguments(run.source)];
  const args = ['push', ...options, '--', run.source.url, refs];
  const { ended, output } = await tryRemote(args, run);
  if (ended === 'well' && confirms(output, refs)) return 'pushed';
  const { source, credentials } = run;
  const failure = classifyPushFailure({ source, branch, output, credentials });
  if (failure === 'rejected') return failure;
  if (failure.reason === 'torn') await condemn(gitDir);
  throw failure;
}

/** `<flag>\t<from>:<to>\t…`: blank for a branch moved on, `*` for a new one, `=` for one that is there already. */
function confirms(output: string, refs: string): boolean {
  return output.split('\n').some((line) => /^[ *=]\t/.test(line) && line.slice(2).startsWith(`${refs}\t`));
}

async function withinTime<T>(
  { limits = defaultPushLimits, signal }: PushRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const minutes = Math.ceil(limits.totalMs / 60_000);
  const timeOut = new GitError(
    'timed_out',
    `The push took longer than ${minutes} minutes. It is tried again.`,
  );
  const timer = setTimeout(() => limit.abort(timeOut), limits.totalMs);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** Saves the next fetch its transfer; where it fails, that fetch says so. */
async function rememberTip({ gitDir, commit }: PushRequest): Promise<void> {
  const staged = (await stagingRefs(gitDir)).filter((ref) => ref.commit === commit);
  const lines = [`update ${contextRef} ${commit}`, ...staged.map(({ name }) => `delete ${name} ${commit}`)];
  await gitOutput(gitDir, ['update-ref', '--stdin'], { input: `${lines.join('\n')}\n` }).catch(
    () => undefined,
  );
}
