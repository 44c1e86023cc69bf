declare module '../../foundation/db/tables.ts' {
  interface Tables {
    githost_connections: GithostConnectionRow;
    ssh_keys: SshKeyRow;
  }
}

/** A connection of an organization to a Git host. Its secrets are stored in `connection_secrets`. */
export interface GithostConnectionRow {
  id: string;
  organization_id: string;
  /** The kind of a provider in the registry. */
  kind: string;
  name: string;
  state: 'pending' | 'connected' | 'failed';
  /** JSON: the given fields that are not secret. */
  fields: string;
  url: string;
  api_url: string;
  /** The installation of an App, which was checked against the API of the host. */
  installation_id: string | null;
  /** JSON `{id, name, url}`: the account at the host. Null while unknown. */
  account: string | null;
  /** JSON `{code, message}` of the current error, or null. */
  error: string | null;
  /** Hash of the open setup state; it is used once. */
  setup_state: string | null;
  setup_state_issued_at: number | null;
  /** The installation that a person is asked about; reserved while the state is valid. */
  setup_installation_id: string | null;
  created_at: number;
}

/** The SSH key of an organization. Its private key is stored in `connection_secrets`, under this id. */
interface SshKeyRow {
  id: string;
  organization_id: string;
  /** One line, as a Git host takes it. */
  public_key: string;
  created_at: number;
}
