import { describe, expect, it } from 'vitest';
import { checkEmail } from './user.ts';

describe('checkEmail', () => {
  it('normalizes case and surrounding white space', () => {
    expect(checkEmail('  Ada.Lovelace@Example.COM ')).toBe('ada.lovelace@example.com');
  });

  it.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'a@b@c',
    'a b@c',
    'a@b\u0000',
    'a@\u202eb',
    `${'a'.repeat(251)}@b.c`,
  ])('refuses %j', (text) => {
    expect(() => checkEmail(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  });
});
