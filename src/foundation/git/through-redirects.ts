import type { Progress } from '../kernel/progress.ts';
import { untilAborted } from '../net/until-aborted.ts';
import { type GitService, redirectTarget } from './follow-redirect.ts';
import type { GitCredentials } from './git-credentials.ts';
import type { GitDeps } from './git-deps.ts';
import { GitError } from './git-error.ts';
import type { GitSource } from './git-source.ts';
import { reachSource } from './reach-source.ts';
import type { RemoteRun } from './run-remote.ts';

export interface Approach {
  readonly source: GitSource;
  readonly credentials?: GitCredentials | undefined;
  /** Default: to read. */
  readonly service?: GitService;
  readonly deps: GitDeps;
  readonly folder: string;
  readonly stallMs: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal: AbortSignal;
}

const maxRedirects = 5;

/**
 * Does what begins with a request to a source, at the address that its redirects lead to, each checked like the source
 * itself. Credentials are for the host they were given for: one that it redirects to gets none.
 */
export async function throughRedirects<T>(
  approach: Approach,
  work: (run: RemoteRun) => Promise<T>,
): Promise<T> {
  let { source, credentials } = approach;
  for (let redirects = 0; ; redirects += 1) {
    try {
      return await work(await openRun({ ...approach, source, credentials }));
    } catch (error) {
      const moved = error instanceof GitError && error.reason === 'redirected' && redirects < maxRedirects;
      const target = moved ? await targetOf({ ...approach, source, credentials }) : undefined;
      if (target === undefined) throw error;
      if (!isSameOrigin(source, target)) credentials = undefined;
      source = target;
    }
  }
}

async function openRun(approach: Approach): Promise<RemoteRun> {
  const { source, credentials, deps, folder, stallMs, onProgress, signal } = approach;
  signal.throwIfAborted();
  const process = await untilAborted(reachSource(source, deps, credentials), signal);
  return { source, process, credentials, folder, stallMs, onProgress, signal };
}

function targetOf({ source, credentials, service, deps, signal }: Approach): Promise<GitSource | undefined> {
  return redirectTarget(source, deps, signal, {
    ...(service === undefined ? {} : { service }),
    ...(credentials === undefined ? {} : { credentials }),
  });
}

function isSameOrigin(from: GitSource, to: GitSource): boolean {
  return URL.parse(from.url)?.origin === URL.parse(to.url)?.origin;
}
