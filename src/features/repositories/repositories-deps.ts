import type { Database } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';

/** What an organization's repositories are listed, added, synced and removed with. */
export interface RepositoriesDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** ALLOW_LOCAL_REPOSITORIES, or a host operator's own word. */
  readonly allowLocal: boolean;
  /** DATA_DIR, which holds the mirrors of every organization: no folder in there is a source. */
  readonly dataDir: string;
  /** True for whoever runs the host: others are not told what a folder is, or whether there is one. */
  readonly explainFolders?: boolean;
  /** OUTBOUND_ALLOW_HOSTS. */
  readonly allowHosts: readonly string[];
}
