import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { checkQueryEncoding } from './query-encoding.ts';

describe('checkQueryEncoding', () => {
  it.each([
    '/search',
    '/search?q=a+b',
    '/search?q=%C3%A4%F0%9F%98%80&limit=2',
    '/search?q=100%25&%71=x',
    '/%FF/search?q=a',
    '/search?',
  ])('accepts UTF-8: %s', (url) => {
    expect(() => checkQueryEncoding(url)).not.toThrow();
  });

  it.each([
    ['/search?q=%FF', '/q', 'column 1'],
    ['/search?q=ab%20%C3%28', '/q', 'column 4'],
    ['/search?q=%C3%A4%20%F0%9F%98%80x%ED%A0%80', '/q', 'column 6'],
    ['/search?limit=1&q=100%', '/q', 'column 4'],
    ['/search?q=100%&limit=1', '/q', 'write `%25`'],
    ['/search?q=%4', '/q', 'column 1'],
    ['/search?%FF=a', '', 'column 1'],
    ['/search?%FF', '', 'column 1'],
  ])('refuses other bytes and names the parameter and column: %s', (url, path, message) => {
    let problem: unknown;
    try {
      checkQueryEncoding(url);
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(InvalidInput);
    expect(problem).toMatchObject({
      errors: [{ path, message: expect.stringContaining(message) as string }],
    });
  });
});
