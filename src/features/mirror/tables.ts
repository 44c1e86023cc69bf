import type { Generated } from 'kysely';

declare module '../../foundation/db/tables.ts' {
  interface Tables {
    mirror_targets: MirrorTargetRow;
    mirror_changes: MirrorChangeRow;
    mirror_files: MirrorFileRow;
    mirror_rebuilds: MirrorRebuildRow;
  }
}

/** The row of a `MirrorTarget` of `mirror-target.ts`, where its fields are described; objects are JSON. */
export interface MirrorTargetRow {
  id: string;
  organization_id: string;
  githost_connection_id: string | null;
  host_repository_id: string | null;
  source: string;
  /** A `RepositoryKey`. Unique together with the branch. */
  repository: string;
  branch: string;
  head: string | null;
  committed_at: number | null;
  pushing: string | null;
  compared: string | null;
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
  /** 0 for an edit, 1 for a change of a backfill, which waits for edits, 2 for one of a rebuild until that ends. */
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
