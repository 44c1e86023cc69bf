import { createHash, hkdfSync } from 'node:crypto';

export interface DerivedKey {
  /** Names the key inside envelopes and tells nothing of it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Another purpose of the same setting has another name here, and so another key. */
const purpose = 'orgctx/connection-secrets/v1';

/**
 * The key of connection secrets that a setting's text stands for (HKDF, RFC 5869, with SHA-256). The salt is the
 * deployment's own, so that two deployments with one AUTH_SECRET cannot read each other's rows.
 */
export function deriveKey(text: string, salt: string): DerivedKey {
  const bytes = Buffer.from(hkdfSync('sha256', text, Buffer.from(salt, 'base64url'), purpose, 32));
  const id = createHash('sha256').update('kid').update(bytes).digest().subarray(0, 8).toString('base64url');
  return { id, bytes };
}
