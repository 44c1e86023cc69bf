declare module '../../foundation/db/tables.ts' {
  interface Tables {
    connections: ConnectionRow;
    connection_notes: ConnectionNoteRow;
    deliveries: DeliveryRow;
    connection_choices: ConnectionChoicesRow;
  }
}

/**
 * The row of a `Connection` of `connections/connection.ts`, where its fields are described; objects are JSON. Its
 * secrets are stored in `connection_secrets`.
 */
export interface ConnectionRow {
  id: string;
  organization_id: string;
  kind: string;
  name: string;
  state: 'draft' | 'authorized' | 'awaiting_merge' | 'connected' | 'degraded' | 'disconnected';
  client_id: string | null;
  /** The provider's id of the account. Webhooks are routed by it. */
  account_id: string | null;
  /** Without the id. */
  account: string | null;
  error: string | null;
  sync_error: string | null;
  last_accepted_at: number | null;
  last_rejected_at: number | null;
  last_sync_at: number | null;
  reauthorize_by: number | null;
  /** Hash of the open state of an authorization; it is used once. */
  auth_state: string | null;
  auth_state_issued_at: number | null;
  /** The process that refreshes the tokens now, and until when nobody else may. */
  refresh_holder: string | null;
  refresh_until: number | null;
  /** The columns of the binding, from here to `target_id`, are all null or all set. */
  githost_connection_id: string | null;
  host_repository_id: string | null;
  repository: string | null;
  branch: string | null;
  scope: string | null;
  target_id: string | null;
  pull_request: string | null;
  live_config: string | null;
  live_commit: string | null;
  /** Null while there is nothing to look at. */
  next_check_at: number | null;
  created_at: number;
}

/** A note of a connection: tells people about its work while that goes on. */
export interface ConnectionNoteRow {
  connection_id: string;
  /** Identifies the subject of the note. A topic has one note. */
  topic: string;
  code: string;
  /** Message for people. */
  message: string;
  /** The time that the note is about, in milliseconds since the epoch. */
  at: number;
}

/** The row of a `Delivery` of `intake/delivery-store.ts`, where its fields are described. It never has the body. */
export interface DeliveryRow {
  id: string;
  source: string;
  connection_id: string | null;
  /**
   * The provider's delivery id, or a hash of the signed bytes. Unique per connection, except among rejected
   * deliveries.
   */
  delivery_key: string | null;
  outcome: 'accepted' | 'ignored' | 'rejected';
  reason: string | null;
  event: string | null;
  /** JSON array of references, sufficient to enqueue the work again. */
  entities: string;
  body_hash: string;
  body_bytes: number;
  received_at: number;
  replayed_at: number | null;
}

/** The choices of people in the wizard of a connection before they take effect. */
export interface ConnectionChoicesRow {
  connection_id: string;
  organization_id: string;
  /** JSON of `WizardChoices`. */
  choices: string;
  /** Rises with each change, so that a form that shows former choices is noticed. */
  revision: number;
  /** E-mail address of the person who changed them last. */
  changed_by: string | null;
  changed_at: number;
}
