import type { Database, Queries } from '../../foundation/db/database.ts';
import type { GitDeps } from '../../foundation/git/process/git-deps.ts';
import type { GitCredentials } from '../../foundation/git/remote/git-credentials.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { MirrorTarget } from './mirror-target.ts';

/** The dependencies of the mirror jobs. */
export interface MirrorDeps {
  readonly database: Database;
  /** Its `dataDir` holds the local copies. */
  readonly git: GitDeps;
  /** For targets with a Git-host connection, whose host the operator may have named. Default: `git`. */
  readonly hostedGit?: GitDeps;
  readonly clock: Clock;
  /** Top folders of context repositories that connectors write. */
  readonly roots: readonly string[];
  /**
   * Called in the transaction that records a push, so that the pushed commit is indexed without waiting for the host to
   * report it. Default: nothing.
   */
  pushed?(tx: Queries, target: MirrorTarget): Promise<void>;
  /** Records that the host refused a push, and returns the error with what helps. Default: the same error. */
  refused?(target: MirrorTarget, error: unknown, signal: AbortSignal): Promise<unknown>;
  /** Looks up the credentials for the Git host, at each run; `undefined` if the address needs none. */
  credentials(target: MirrorTarget, signal: AbortSignal): Promise<GitCredentials | undefined>;
}
