declare module '../../foundation/db/tables.ts' {
  interface Tables {
    organizations: OrganizationRow;
    users: UserRow;
    memberships: MembershipRow;
    api_keys: ApiKeyRow;
    one_time_links: OneTimeLinkRow;
    sessions: SessionRow;
    user_identities: UserIdentityRow;
    attempts: AttemptsRow;
    invitations: InvitationRow;
    audit_events: AuditEventRow;
  }
}

interface OrganizationRow {
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

interface MembershipRow {
  organization_id: string;
  user_id: string;
  role: 'owner' | 'admin' | 'member';
  created_at: number;
}

export interface ApiKeyRow {
  id: string;
  user_id: string;
  /** The only organization that the key opens. Null: every organization of its user. */
  organization_id: string | null;
  /** The ids of the only repositories that the key reads, as a list in JSON. Null: the access of its user. */
  repositories: string | null;
  name: string;
  /** The first characters, by which a person recognises a key. They are not enough to use it. */
  prefix: string;
  /** SHA-256 of the whole key, in hex. A key has 256 random bits, so a fast hash is enough. */
  hash: string;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  created_at: number;
}

/** A bootstrap or sign-in link. It is valid once and for 30 minutes; only its hash is stored. */
export interface OneTimeLinkRow {
  /** SHA-256 of the token, in hex. */
  hash: string;
  purpose: 'bootstrap' | 'sign-in';
  /** The user that it signs in. Null for a bootstrap link: no user exists yet. */
  user_id: string | null;
  expires_at: number;
  used_at: number | null;
  created_at: number;
}

/** A signed-in browser. */
interface SessionRow {
  /** SHA-256 of the token in the cookie, in hex. */
  hash: string;
  user_id: string;
  /** The address that signed in, shown to people so that they recognise the session. */
  address: string | null;
  user_agent: string | null;
  last_seen_at: number;
  expires_at: number;
  created_at: number;
}

/** The account of a user at the upstream identity provider. */
interface UserIdentityRow {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: number;
}

/** A counter of attempts that are limited across all processes: sign-ins, device codes. */
interface AttemptsRow {
  /** The kind, and a hash of the limited account or address. */
  key: string;
  count: number;
  /** Time at which the count is reset. */
  resets_at: number;
}

export interface InvitationRow {
  id: string;
  organization_id: string;
  /** Lower case. */
  email: string;
  role: 'owner' | 'admin' | 'member';
  /** SHA-256 of the token in the link, in hex. */
  hash: string;
  /** Null: the operator of the host. */
  invited_by: string | null;
  expires_at: number;
  accepted_at: number | null;
  revoked_at: number | null;
  created_at: number;
}

/** An entry of the audit log. Rows are only added. */
export interface AuditEventRow {
  id: string;
  /** Null for events that concern no single organization: a sign-in, a disabled user. */
  organization_id: string | null;
  /** `host` is the operator at the command line, `system` the service itself. */
  actor: 'user' | 'host' | 'system';
  user_id: string | null;
  /** The address at the time of the event. */
  email: string | null;
  /** `session`, `api-key <id>`, `grant <id>`. */
  credential: string | null;
  /** `<noun>.<what happened>`: `member.removed`. */
  action: string;
  /** The id of the object that it was done to. */
  target: string | null;
  /** JSON; never a secret. */
  details: string;
  address: string | null;
  created_at: number;
}
