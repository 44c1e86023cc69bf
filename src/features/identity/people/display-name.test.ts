import { describe, expect, it } from 'vitest';
import { checkDisplayName } from './display-name.ts';

describe('checkDisplayName', () => {
  it('returns the name without surrounding white space', () => {
    expect(checkDisplayName('  Ada’s laptop 💻 ', 'name')).toBe('Ada’s laptop 💻');
  });

  it.each([
    '',
    '   ',
    'a\nb',
    'a\u001b[2Jb',
    'a\u0000b',
    'a\u202eb',
    'a\u2028b',
    'a\u2029b',
    '\ud800',
    'a'.repeat(101),
  ])('refuses %j and names the field', (text) => {
    expect(() => checkDisplayName(text, 'name')).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ path: '/name' })] }),
    );
  });
});
