import { describe, expect, it } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

describe('passwords', () => {
  it('are stored as an encoded Argon2id hash that states its cost', () => {
    const hash = hashPassword('correct horse battery');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(verifyPassword('correct horse battery', hash)).toBe(true);
    expect(verifyPassword('correct horse batterz', hash)).toBe(false);
  });

  it('are salted, so that equal passwords have different hashes', () => {
    expect(hashPassword('correct horse battery')).not.toBe(hashPassword('correct horse battery'));
  });

  it('match in either Unicode form', () => {
    const hash = hashPassword('caf\u00e9 au lait noir');
    expect(verifyPassword('cafe\u0301 au lait noir', hash)).toBe(true);
  });

  it('match a hash of the Argon2id reference implementation', () => {
    // argon2 command line of the reference code: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
    const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(verifyPassword('password', hash)).toBe(true);
  });

  it.each(['', 'short', 'x'.repeat(11), 'x'.repeat(1025)])('refuses a bad length (%#)', (password) => {
    expect(() => hashPassword(password)).toThrow(/at least 12 characters/);
  });

  it.each(['', 'plain', '$argon2i$v=19$m=1,t=1,p=1$c29tZXNhbHQ$x', '$2b$10$abc'])(
    'do not match a hash in another format: %j',
    (hash) => {
      expect(verifyPassword('correct horse battery', hash)).toBe(false);
    },
  );
});
