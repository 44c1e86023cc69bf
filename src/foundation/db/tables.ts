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
  schedules: ScheduleRow;
  secret_keys: SecretKeyRow;
  connection_secrets: ConnectionSecretRow;
  connections: ConnectionRow;
  deliveries: DeliveryRow;
  mirror_targets: MirrorTargetRow;
  mirror_changes: MirrorChangeRow;
  sessions: SessionRow;
  user_identities: UserIdentityRow;
  attempts: AttemptsRow;
  invitations: InvitationRow;
  audit_events: AuditEventRow;
  oauth_grants: OauthGrantRow;
  oauth_objects: OauthObjectRow;
  oauth_signing_keys: OauthSigningKeyRow;
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
  /** The one that it opens; null opens every organization of its user. */
  organization_id: string | null;
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
  /** JSON: names and patterns of branches to follow beside `branch`. */
  further_branches: Generated<string>;
  /** JSON `[{name, commit}]` of the index, the default branch first. */
  indexed_branches: Generated<string>;
  /** JSON: reason -> count, of branches that were asked for and are not mirrored. */
  left_out_branches: Generated<string>;
}

/** The queue. A ready row waits, a running one is leased, a dead one has used up its attempts. */
export interface JobRow {
  id: string;
  task: string;
  /**
   * Coalesces: at most one ready row a (task, key). A running row does not count, so an edit during the run is kept.
   */
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

/** The last time a cron task was enqueued for, so that several workers enqueue each time once. */
export interface ScheduleRow {
  name: string;
  /** The time it was due, ms. */
  last_slot: number;
}

/** One row a deployment: what keys are derived with, and how to tell a wrong key before the first secret is needed. */
export interface SecretKeyRow {
  id: 'connections';
  /** Of HKDF, base64url; never secret, never changed. */
  salt: string;
  /** A known text, sealed with the current key. */
  canary: string;
  created_at: number;
}

export interface ConnectionSecretRow {
  connection_id: string;
  /** `clientSecret`, `webhookSecret`, `refreshToken`, … */
  field: string;
  envelope: string;
  /** The key id inside the envelope, for rotation to find what is left. */
  key_id: string;
  updated_at: number;
}

/** One connector instance. Its secrets lie in `connection_secrets`. */
export interface ConnectionRow {
  id: string;
  organization_id: string;
  kind: 'tracker' | 'oncall';
  name: string;
  state: 'draft' | 'authorized' | 'awaiting_merge' | 'connected' | 'degraded' | 'disconnected';
  client_id: string | null;
  /** The provider's id of the workspace or account: what its webhooks are routed by. */
  account_id: string | null;
  /** JSON, what the provider calls it; null before authorization. */
  account: string | null;
  /** JSON `{code, message}`; null when all is well. */
  error: string | null;
  last_accepted_at: number | null;
  last_rejected_at: number | null;
  last_sync_at: number | null;
  created_at: number;
}

/** What is remembered of a webhook delivery: references and a hash, never the body. */
export interface DeliveryRow {
  id: string;
  source: 'tracker' | 'oncall' | 'githost';
  /** Whose secret verified it; null where none did. */
  connection_id: string | null;
  /** The provider's delivery id, or else a hash of the signed bytes: once a connection (rejected ones apart). */
  delivery_key: string | null;
  outcome: 'accepted' | 'ignored' | 'rejected';
  /** Why it was ignored or rejected. */
  reason: string | null;
  /** The provider's name of what happened. */
  event: string | null;
  /** JSON array of references, enough to enqueue the work again. */
  entities: string;
  /** SHA-256 of the raw body, hex. */
  body_hash: string;
  body_bytes: number;
  received_at: number;
  replayed_at: number | null;
}

/** One branch of one repository that content is mirrored into. */
export interface MirrorTargetRow {
  id: string;
  organization_id: string;
  /** Whose credentials push; null where the address needs none. */
  githost_connection_id: string | null;
  /** Canonical URL of the repository. */
  source: string;
  /** What the repository is told by: the same however its address is spelled. Unique together with the branch. */
  repository: string;
  branch: string;
  /** The last commit that was pushed. */
  head: string | null;
  /** When, by the clock of the queue. */
  committed_at: number | null;
  /** JSON `{code, message, permanent, at}`, `at` by the clock of the queue; null when the last push went through. */
  error: string | null;
  created_at: number;
}

/** A rendered file that waits to be committed. */
export interface MirrorChangeRow {
  number: Generated<number>;
  target_id: string;
  path: string;
  /** New with each write: a commit takes away only what it has read. */
  revision: string;
  /** Null deletes the file. */
  content: Buffer | null;
  bytes: number;
  connection_id: string;
  /** What it was rendered from, for the commit's trailer: `issue ENG-12`. */
  origin: string;
  created_at: number;
}

/** A browser that is signed in. */
export interface SessionRow {
  /** SHA-256 of the cookie's token, hex. */
  hash: string;
  user_id: string;
  /** Where it was begun, for people to recognise it. */
  address: string | null;
  user_agent: string | null;
  last_seen_at: number;
  expires_at: number;
  created_at: number;
}

/** Who a user is at the upstream identity provider. */
export interface UserIdentityRow {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: number;
}

/** Counted attempts that are limited in every process together: sign-ins, codes of devices. */
export interface AttemptsRow {
  /** Kind and a hash of whom it counts for: an account, an address. */
  key: string;
  count: number;
  /** When counting begins anew. */
  resets_at: number;
}

export interface InvitationRow {
  id: string;
  organization_id: string;
  /** Lower case. */
  email: string;
  role: 'owner' | 'admin' | 'member';
  /** SHA-256 of the link's token, hex. */
  hash: string;
  /** Null: the host's operator. */
  invited_by: string | null;
  expires_at: number;
  accepted_at: number | null;
  revoked_at: number | null;
  created_at: number;
}

/** Who did what. Rows are only ever added. */
export interface AuditEventRow {
  id: string;
  /** Null where it is about no one organization: a sign-in, a disabled user. */
  organization_id: string | null;
  /** `host` is the operator at the command line, `system` the service itself. */
  actor: 'user' | 'host' | 'system';
  user_id: string | null;
  /** As it was then. */
  email: string | null;
  /** `session`, `api-key <id>`, `grant <id>`. */
  credential: string | null;
  /** `<noun>.<what happened>`: `member.removed`. */
  action: string;
  /** What it was done to, as an id. */
  target: string | null;
  /** JSON; never a secret. */
  details: string;
  address: string | null;
  created_at: number;
}

/** One authorization of one client by one user, bound to one organization. */
export interface OauthGrantRow {
  id: string;
  user_id: string;
  /** Null is unbound, and refused. */
  organization_id: string | null;
  client_id: string;
  /** As the consent page showed it. */
  client_name: string;
  /** Space-separated. */
  scopes: string;
  last_used_at: number | null;
  /** Moves on with each refresh. */
  expires_at: number;
  revoked_at: number | null;
  created_at: number;
}

/** What the authorization server stores: clients, codes, tokens, interactions. */
export interface OauthObjectRow {
  /** `<model>:<keyed hash of its id>`: many of these ids are credentials. */
  key: string;
  model: string;
  /** Sealed JSON. */
  payload: string;
  grant_id: string | null;
  /** Keyed hash of what a person types in for a device. */
  user_code: string | null;
  /** The browser that a device's code belongs to, by a keyed hash: the first that typed it in. */
  claimed_by: string | null;
  consumed_at: number | null;
  expires_at: number | null;
  created_at: number;
}

export interface OauthSigningKeyRow {
  /** The `kid` of tokens. */
  id: string;
  sealed_jwk: string;
  /** The newest key whose time has come signs; it is published before. */
  signs_from: number;
  created_at: number;
}
