import { describe, expect, it } from 'vitest';
import { ownPath } from './own-path.ts';

describe('the redirect target of a form', () => {
  it.each(['/', '/.auth/account', '/.auth/interaction/aB_1-2', '/.auth/device?user_code=BCDF-GHJK'])(
    'can be %s, a path of this service',
    (path) => {
      expect(ownPath(path, '/home')).toBe(path);
    },
  );

  it.each([
    ['an absolute URL', 'https://evil.example/'],
    ['another host', '//evil.example/'],
    ['another host by backslashes', '/\\evil.example/'],
    ['another host behind a tab', '/\t/evil.example/'],
    ['another host behind a newline', '/\n/evil.example'],
    ['another host behind dots', '/.//evil.example'],
    ['another host behind encoded dots', '/%2e//evil.example'],
    ['a scheme', 'javascript:alert(1)'],
    ['a relative path', 'account'],
    ['nothing', ''],
    ['nothing at all', undefined],
    ['something endless', `/${'a'.repeat(9_000)}`],
  ])('is never %s', (_, text) => {
    expect(ownPath(text, '/home')).toBe('/home');
  });

  it('cannot add a header line', () => {
    expect(ownPath('/a\r\nSet-Cookie: b=c', '/home')).toBe('/aSet-Cookie:%20b=c');
  });
});
