import type { Generated } from 'kysely';

declare module '../../foundation/db/tables.ts' {
  interface Tables {
    mirror_targets: MirrorTargetRow;
    mirror_changes: MirrorChangeRow;
    mirror_files: MirrorFileRow;
    mirror_rebuilds: MirrorRebuildRow;
  }
}

/** A branch of a repository that content is mirrored into. */
export interface MirrorTargetRow {
  id: string;
  organization_id: string;
  /** The connection whose credentials push. Null if the address needs none. */
  githost_connection_id: string | null;
  /** The host's own id, to which the credentials of a push are limited. Null if the host knows none. */
  host_repository_id: string | null;
  /** Canonical URL of the repository. */
  source: string;
  /** The identity of the repository, independent of the spelling of its address. Unique together with the branch. */
  repository: string;
  branch: string;
  /** The last pushed commit. */
  head: string | null;
  /** Time of that commit, by the clock of the queue. */
  committed_at: number | null;
  /** The commit of a push that has begun and whose end is not recorded. */
  pushing: string | null;
  /** JSON of `ComparedTip`: the tip that `mirror_files` was last compared with. */
  compared: string | null;
  /** JSON of `MirrorError`, its times by the clock of the queue. Null after a push that succeeded. */
  error: string | null;
  created_at: number;
}

/** A rendered file that is pending to be committed. */
interface MirrorChangeRow {
  number: Generated<number>;
  target_id: string;
  path: string;
  /** Changes with each write: a commit deletes only the rows that it has read. */
  revision: string;
  /** Null deletes the file. */
  content: Buffer | null;
  bytes: number;
  connection_id: string;
  /** The source that it was rendered from, for the trailer of the commit: `issue ENG-12`. */
  origin: string;
  /** 0 for an edit, 1 for a change of a backfill, which waits for edits, 2 for one of a rebuild, which waits for its end. */
  backfill: number;
  created_at: number;
}

/** A path that the mirror has committed to. */
export interface MirrorFileRow {
  target_id: string;
  path: string;
  connection_id: string;
  /** Git's id of the content that was committed last. */
  blob: string;
  /**
   * `present`: the branch has this content. `lost`: somebody else removed or changed it, and it is being written again.
   * `deleted`: the mirror has deleted it.
   */
  state: 'present' | 'lost' | 'deleted';
}

/** A connection that writes all its files again, in one commit. */
interface MirrorRebuildRow {
  connection_id: string;
  target_id: string;
  /** 0 until a job begins to read the provider anew. */
  started: number;
}
