import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as 43 base64url characters. */
export function newSecretToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The form in which a token is stored and looked up. A fast hash is enough for 256 random bits, and a lookup by hash
 * leaks nothing through its timing: what an attacker can vary is not what is compared.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
