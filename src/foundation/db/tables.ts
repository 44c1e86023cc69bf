import type { Generated } from 'kysely';

/**
 * The relational tables as Kysely sees them, the same on both dialects (integer milliseconds, 0/1 booleans,
 * JSON as text, text ids). Changed only together with a migration.
 */
export interface Tables {
  organizations: OrganizationRow;
  users: UserRow;
  memberships: MembershipRow;
  api_keys: ApiKeyRow;
  one_time_links: OneTimeLinkRow;
  repositories: RepositoryRow;
  jobs: JobRow;
  lanes: LaneRow;
}

export interface OrganizationRow {
  id: string;
  slug: string;
  name: string;
  created_at: number;
}

export interface UserRow {
  id: string;
  /** Lower case, unique. */
  email: string;
  name: string;
  /** Encoded hash, or null while the user has set no password. */
  password_hash: string | null;
  disabled_at: number | null;
  created_at: number;
}

export interface MembershipRow {
  organization_id: string;
  user_id: string;
  role: 'owner' | 'admin' | 'member';
  created_at: number;
}

export interface ApiKeyRow {
  id: string;
  user_id: string;
  name: string;
  /** The first characters, to recognise a key by; not enough to use it. */
  prefix: string;
  /** SHA-256 of the whole key, hex. A key carries 256 random bits, so a fast hash is enough. */
  hash: string;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  created_at: number;
}

/** Bootstrap and sign-in links: single use, 30 minutes, only the hash is kept. */
export interface OneTimeLinkRow {
  /** SHA-256 of the token, hex. */
  hash: string;
  purpose: 'bootstrap' | 'sign-in';
  /** Whom it signs in; null for bootstrap, where nobody exists yet. */
  user_id: string | null;
  expires_at: number;
  used_at: number | null;
  created_at: number;
}

export interface RepositoryRow {
  id: string;
  /** Unique in the deployment and never reused: Zoekt's repository id. */
  number: Generated<number>;
  organization_id: string;
  name: string;
  source: string;
  /** `folder` rows exist only by a host operator's word (ALLOW_LOCAL_REPOSITORIES or quickstart). */
  source_kind: 'folder' | 'https' | 'ssh';
  /** Null follows the source's default branch. */
  branch: string | null;
  githost_connection_id: string | null;
  state: 'queued' | 'cloning' | 'indexing' | 'indexed' | 'failed' | 'removing';
  state_changed_at: number;
  /** Work under way, JSON `{phase, done, total}`; null when idle. */
  progress: string | null;
  indexed_commit: string | null;
  indexed_at: number | null;
  /** Generation of the index manifest that `indexed_commit` speaks of. */
  index_generation: number;
  graph_commit: string | null;
  files: number;
  bytes: number;
  /** JSON: reason -> count. */
  skipped: string;
  /** JSON `{code, message}` of the last failure; null when the last run succeeded. */
  error: string | null;
  created_at: number;
}

/** The queue. A ready row waits, a running one is leased, a dead one has used up its attempts. */
export interface JobRow {
  id: string;
  task: string;
  /** Coalesces: at most one ready row a (task, key). A running row does not count, so an edit during the run is kept. */
  key: string | null;
  /** Serializes: rows of one lane run one at a time, deployment-wide. */
  lane: string | null;
  /** Higher first. */
  priority: number;
  payload: string;
  state: 'ready' | 'running' | 'dead';
  run_at: number;
  attempts: number;
  max_attempts: number;
  lease_token: string | null;
  lease_until: number | null;
  last_error: string | null;
  /** W3C traceparent of the request that enqueued it. */
  trace_context: string | null;
  created_at: number;
}

export interface LaneRow {
  lane: string;
  lease_token: string | null;
  lease_until: number | null;
  /** Rises by one with each acquisition; checked before an effect outside the database. */
  fence: number;
}
