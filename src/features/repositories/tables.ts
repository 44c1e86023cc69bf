import type { Generated } from 'kysely';

declare module '../../foundation/db/tables.ts' {
  interface Tables {
    repositories: RepositoryRow;
  }
}

export interface RepositoryRow {
  id: string;
  /** Zoekt's repository id: unique in the deployment and never reused. */
  number: Generated<number>;
  organization_id: string;
  name: string;
  source: string;
  /** `folder` rows exist only if the host's operator allowed them (ALLOW_LOCAL_REPOSITORIES or quickstart). */
  source_kind: 'folder' | 'https' | 'ssh';
  /** Null: the default branch of the source. */
  branch: string | null;
  /** JSON: names and patterns of the branches to follow besides `branch`. */
  further_branches: string;
  githost_connection_id: string | null;
  /** The host's own id; its name there may change. Null without a Git-host connection that has an API. */
  host_repository_id: string | null;
  state: 'queued' | 'cloning' | 'indexing' | 'indexed' | 'failed' | 'removing';
  state_changed_at: number;
  /** Progress of the running work, JSON `{phase, done, total}`. Null when idle. */
  progress: string | null;
  indexed_commit: string | null;
  /** JSON `[{name, commit}]` of the indexed branches, the default branch first. */
  indexed_branches: string;
  indexed_at: number | null;
  /** Generation of the index manifest of `indexed_commit`. */
  index_generation: number;
  graph_commit: string | null;
  /** JSON `LeftOutFiles`. Null before the first projection. */
  graph_left_out: string | null;
  files: number;
  /** Searchable files whose definitions are not read yet. */
  files_without_definitions: Generated<number>;
  bytes: number;
  /** JSON: reason -> count. */
  skipped: string;
  /** JSON: reason -> count, of requested branches that are not mirrored. */
  left_out_branches: string;
  /** JSON `{code, message}` of the last failure. Null after a run that succeeded. */
  error: string | null;
  /** Time of the last check of the source, by `git ls-remote`. */
  checked_at: number | null;
  /** Null until the first check is planned. */
  next_check_at: number | null;
  /** Number of failed checks in a row. */
  failed_checks: Generated<number>;
  created_at: number;
}
