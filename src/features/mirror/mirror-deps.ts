import type { Database } from '../../foundation/db/database.ts';
import type { GitCredentials } from '../../foundation/git/git-credentials.ts';
import type { GitDeps } from '../../foundation/git/git-deps.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { MirrorTarget } from './mirror-target.ts';

/** What the worker's side of this feature needs. */
export interface MirrorDeps {
  readonly database: Database;
  /** Its `dataDir` holds the local copies. */
  readonly git: GitDeps;
  readonly clock: Clock;
  /** What the Git host asks for, looked up anew for each run; `undefined` where the address needs none. */
  credentials(target: MirrorTarget): Promise<GitCredentials | undefined>;
  /** Between two commits of a target, ms; default as in `nextCommitAt`. */
  readonly spacingMs?: number;
  /** Of one commit; default `usualCommit`. */
  readonly commitLimits?: CommitSize;
}

export interface CommitSize {
  readonly rows: number;
  /** Of contents; a file that is larger alone is a commit of its own. */
  readonly bytes: number;
}

export const usualCommit: CommitSize = { rows: 5_000, bytes: 128 * 1024 ** 2 };
