import { hashPassword } from '../../../src/features/identity/sign-in/password.ts';

const hashes = new Map<string, string>();

/** Returns the hash of a test's password. Hashing takes tens of milliseconds, so each process hashes a password once. */
export function passwordHash(password: string): string {
  const hash = hashes.get(password) ?? hashPassword(password);
  hashes.set(password, hash);
  return hash;
}
