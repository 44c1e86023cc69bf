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
}
