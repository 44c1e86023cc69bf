import { createHash, hkdfSync } from 'node:crypto';

export interface DerivedKey {
  /** Names the key inside envelopes and tells nothing of it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** What connection secrets are sealed for; `createSealer` names others. */
const connectionSecrets = 'orgctx/connection-secrets/v1';

/**
 * The key that a setting's text stands for (HKDF, RFC 5869, with SHA-256); another one for each purpose. The salt of
 * connection secrets is the deployment's own, so that two deployments with one AUTH_SECRET cannot read each other's rows.
 */
export function deriveKey(text: string, salt: string, purpose: string = connectionSecrets): DerivedKey {
  const bytes = Buffer.from(hkdfSync('sha256', text, Buffer.from(salt, 'base64url'), purpose, 32));
  const id = createHash('sha256').update('kid').update(bytes).digest().subarray(0, 8).toString('base64url');
  return { id, bytes };
}
