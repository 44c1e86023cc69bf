import { describe, expect, it } from 'vitest';
import { checkOrgSlug } from './organization.ts';

describe('checkOrgSlug', () => {
  it.each(['a', '0', 'acme', 'acme-2', 'a-', 'a'.repeat(39)])('accepts %j', (slug) => {
    expect(checkOrgSlug(slug)).toBe(slug);
  });

  it.each(['', '-a', 'Acme', 'a_b', 'a.b', 'a b', 'a/b', 'a\n', 'ä', 'a\u0000', 'a'.repeat(40)])(
    'refuses %j and names the rule',
    (slug) => {
      expect(() => checkOrgSlug(slug)).toThrow(/1 to 39 lower-case letters/);
    },
  );

  it.each(['api', 'app', 'mcp'])('refuses the reserved word %s', (slug) => {
    expect(() => checkOrgSlug(slug)).toThrow(/reserved words api, app, mcp/);
  });
});
