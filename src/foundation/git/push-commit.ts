import type { GitCredentials } from './git-credentials.ts';
import type { GitDeps } from './git-deps.ts';
import type { GitSource } from './git-source.ts';

export interface PushRequest {
  readonly source: GitSource;
  readonly branch: string;
  readonly gitDir: string;
  /** From `writeCommit`. */
  readonly commit: string;
  readonly credentials?: GitCredentials;
  /** Milliseconds without a byte of output after which it is given up; default 2 minutes. */
  readonly stallMs?: number;
  readonly signal: AbortSignal;
  readonly deps: GitDeps;
}

/**
 * Makes a commit the tip of its branch at the source, where the branch has not moved meanwhile: never by force.
 * `rejected` when somebody else moved it; then bring the repository up to date and write the commit again.
 * @throws GitError; `protected_branch`, `push_forbidden`, `authentication`, `archived`, `push_declined` and `not_found`
 * stay as they are until somebody changes something at the host.
 */
export function pushCommit(_request: PushRequest): Promise<'pushed' | 'rejected'> {
  return Promise.reject(new Error('not built yet'));
}
