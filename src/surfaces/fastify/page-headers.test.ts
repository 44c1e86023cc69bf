import { describe, expect, it } from 'vitest';
import { pageHeaders } from './page-headers.ts';

describe('the headers of a page', () => {
  it('allow no scripts, foreign resources, framing or caching', () => {
    expect(pageHeaders()).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
  });

  it.each(['https://app.example', 'http://127.0.0.1:33418', 'http:', 'cursor:', 'com.example.app:'])(
    'allow forms to lead to %s',
    (source) => {
      expect(policy(source)).toContain(`form-action 'self' ${source};`);
    },
  );

  it.each([
    '*',
    'https:; script-src *',
    'https://a.example https://b.example',
    "https://a.example 'unsafe-inline'",
    'https://*',
    'https://a.example,https://b.example',
    'https://a.example\r\nx: y',
    'https://a.example/path',
    'https:',
    'javascript:',
    'data:',
    'x://a',
    'http://[::1]:8080',
  ])('do not allow forms to lead to %j', (source) => {
    expect(policy(source)).toContain("form-action 'self';");
  });

  const policy = (source: string) => pageHeaders(source)['content-security-policy'];
});
