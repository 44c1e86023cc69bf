import { describe, expect, it } from 'vitest';
import { bearerToken } from './bearer-token.ts';

describe('bearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER  abc', 'abc'],
    ['Bearer a-._~+/9==', 'a-._~+/9=='],
  ])('reads %j, whatever the case of the scheme', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });

  it.each([undefined, '', 'Basic dXNlcjpwYXNz', 'abc', 'Bearertoken', ' Bearer abc'])(
    'requires sign-in for %j, which has no bearer credential',
    (header) => {
      expect(() => bearerToken(header)).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
    },
  );

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a, Bearer b',
    'Bearer a,b',
    'Bearer =a',
    'Bearer a\tb',
    'Bearer a\u0000',
    'Bearer ä',
    'Bearer a\nb',
    'Bearer abc\n',
    `Bearer ${'a'.repeat(8192)}`,
  ])('refuses the malformed header %j', (header) => {
    expect(() => bearerToken(header)).toThrow(expect.objectContaining({ code: 'invalid_token' }));
  });

  it('does not include the token in the error', () => {
    expect(() => bearerToken('Bearer s3cret s3cret')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('s3cret') }),
    );
  });
});
