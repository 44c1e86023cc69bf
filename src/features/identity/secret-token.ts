import { createHash, randomBytes } from 'node:crypto';

/** Creates a token of 256 random bits, as 43 base64url characters. */
export function newSecretToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the hash with which a token is stored and looked up. A fast hash is sufficient for 256 random bits. The
 * timing of a look-up by hash leaks nothing, because an attacker controls the token and not the compared hash.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
