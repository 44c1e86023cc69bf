import type { Progress } from '../../kernel/text/progress.ts';
import { untilAborted } from '../../net/until-aborted.ts';
import type { GitDeps } from '../process/git-deps.ts';
import { GitError } from '../process/git-error.ts';
import type { GitSource } from '../source/git-source.ts';
import { type GitService, redirectTarget } from './follow-redirect.ts';
import type { GitCredentials } from './git-credentials.ts';
import { reachSource } from './reach-source.ts';
import type { RemoteRun } from './run-remote.ts';

export interface RedirectedRequest {
  readonly source: GitSource;
  readonly credentials?: GitCredentials | undefined;
  /** Default: read. */
  readonly service?: GitService;
  readonly deps: GitDeps;
  readonly folder: string;
  readonly stallMs: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal: AbortSignal;
}

const maxRedirects = 5;

/**
 * Runs an operation that starts with a request to a source, and follows its redirects. Each target is checked like
 * the source. Credentials are not sent to another host after a redirect.
 */
export async function throughRedirects<T>(
  request: RedirectedRequest,
  work: (run: RemoteRun) => Promise<T>,
): Promise<T> {
  let { source, credentials } = request;
  for (let redirects = 0; ; redirects += 1) {
    try {
      return await work(await openRun({ ...request, source, credentials }));
    } catch (error) {
      const moved = error instanceof GitError && error.reason === 'redirected' && redirects < maxRedirects;
      const target = moved ? await targetOf({ ...request, source, credentials }) : undefined;
      if (target === undefined) throw error;
      if (!isSameOrigin(source, target)) credentials = undefined;
      source = target;
    }
  }
}

async function openRun(request: RedirectedRequest): Promise<RemoteRun> {
  const { source, credentials, deps, folder, stallMs, onProgress, signal } = request;
  signal.throwIfAborted();
  const process = await untilAborted(reachSource(source, deps, credentials), signal);
  return { source, process, credentials, folder, stallMs, onProgress, signal };
}

function targetOf({
  source,
  credentials,
  service,
  deps,
  signal,
}: RedirectedRequest): Promise<GitSource | undefined> {
  return redirectTarget(source, deps, signal, {
    ...(service === undefined ? {} : { service }),
    ...(credentials === undefined ? {} : { credentials }),
  });
}

function isSameOrigin(from: GitSource, to: GitSource): boolean {
  return URL.parse(from.url)?.origin === URL.parse(to.url)?.origin;
}
