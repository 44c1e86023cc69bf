import type { Database, Queries } from '../../foundation/db/database.ts';
import type { GitDeps } from '../../foundation/git/process/git-deps.ts';
import type { GitCredentials } from '../../foundation/git/remote/git-credentials.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { MirrorFile } from './file-store.ts';
import type { MirrorTarget } from './mirror-target.ts';

/** A file that somebody removed from a branch or changed there. */
export type LostFile = Pick<MirrorFile, 'path' | 'connectionId'>;

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
  /**
   * Has the connections write their files again that the branch has lost, in the transaction that records the loss.
   * Default: nothing.
   */
  restore?(tx: Queries, target: MirrorTarget, lost: readonly LostFile[]): Promise<void>;
  /** Called in the transaction in which the error of a target changes or ends. Default: nothing. */
  errorChanged?(tx: Queries, target: MirrorTarget): Promise<void>;
  /** Records that the host refused a push, and returns the error with what helps. Default: the same error. */
  refused?(target: MirrorTarget, error: unknown, signal: AbortSignal): Promise<unknown>;
  /**
   * Looks up the credentials for the Git host, at each run; `undefined` if the address needs none. `refused`: those
   * that the host has just refused, which are not given again if others can be had.
   */
  credentials(
    target: MirrorTarget,
    signal: AbortSignal,
    refused?: GitCredentials,
  ): Promise<GitCredentials | undefined>;
}
