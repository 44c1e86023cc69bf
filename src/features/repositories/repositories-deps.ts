import type { Database } from '../../foundation/db/database.ts';
import type { FolderRules } from '../../foundation/git/check-folder.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';

/** What an organization's repositories are listed, added, synced and removed with. */
export interface RepositoriesDeps extends FolderRules {
  readonly database: Database;
  readonly clock: Clock;
  /** ALLOW_LOCAL_REPOSITORIES, or a host operator's own word. */
  readonly allowLocal: boolean;
  /** OUTBOUND_ALLOW_HOSTS. */
  readonly allowHosts: readonly string[];
}
