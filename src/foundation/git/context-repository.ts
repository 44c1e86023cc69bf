import type { GitCredentials } from './git-credentials.ts';
import type { GitDeps } from './git-deps.ts';
import type { GitSource } from './git-source.ts';
import type { MirrorLimits } from './mirror-limits.ts';

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
 * contents. A copy that is torn, or of another source, is made anew.
 * @throws GitError, RefusedDestination, OutboundError; the signal's reason when that was aborted.
 */
export function ensureContextRepository(_request: ContextRepositoryRequest): Promise<ContextTip> {
  return Promise.reject(new Error('not built yet'));
}
