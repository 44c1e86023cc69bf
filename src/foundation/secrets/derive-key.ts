import { createHash, hkdfSync } from 'node:crypto';

export interface DerivedKey {
  /** Identifies the key inside envelopes without revealing it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Default purpose: connection secrets. `createSealer` uses others. */
const connectionSecrets = 'orgctx/connection-secrets/v1';

/**
 * Derives a key from the text of a setting (HKDF, RFC 5869, with SHA-256), different for each purpose. The salt of
 * connection secrets is unique to the deployment, so that two deployments with the same AUTH_SECRET cannot read each
 * other's rows.
 */
export function deriveKey(text: string, salt: string, purpose: string = connectionSecrets): DerivedKey {
  const bytes = Buffer.from(hkdfSync('sha256', text, Buffer.from(salt, 'base64url'), purpose, 32));
  const id = createHash('sha256').update('kid').update(bytes).digest().subarray(0, 8).toString('base64url');
  return { id, bytes };
}
