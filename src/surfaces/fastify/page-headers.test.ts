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
});
