declare module '../db/tables.ts' {
  interface Tables {
    secret_keys: SecretKeyRow;
    connection_secrets: ConnectionSecretRow;
  }
}

/** The parameters of key derivation, one row per deployment, and a canary that detects a wrong key at start-up. */
interface SecretKeyRow {
  id: 'connections';
  /** The salt of HKDF, base64url. Not secret, never changed. */
  salt: string;
  /** A known text sealed with the current key. */
  canary: string;
  created_at: number;
}

export interface ConnectionSecretRow {
  connection_id: string;
  /** `clientSecret`, `webhookSecret`, `refreshToken`, … */
  field: string;
  envelope: string;
  /** The key id of the envelope. Key rotation finds the remaining rows by it. */
  key_id: string;
  updated_at: number;
}
