import type { Database } from '../../foundation/db/database.ts';
import type { FolderRules } from '../../foundation/git/source/check-folder.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { GithostsDeps } from '../githosts/githosts-deps.ts';

/** The dependencies of the operations on an organization's repositories. */
export interface RepositoriesDeps extends FolderRules {
  readonly database: Database;
  readonly clock: Clock;
  /** True by ALLOW_LOCAL_REPOSITORIES, or for a command of the host operator. */
  readonly allowLocal: boolean;
  /** OUTBOUND_ALLOW_HOSTS. */
  readonly allowHosts: readonly string[];
  /** Default: none; the command line of the host adds repositories without credentials. */
  readonly githosts?: GithostsDeps;
}
