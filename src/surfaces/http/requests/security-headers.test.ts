import { describe, expect, it } from 'vitest';
import { openTestHttp, useTestHttp } from '../../../../test/support/http/http-server.ts';

describe('security headers', async () => {
  const http = await useTestHttp();

  it.each(['/.status', '/openapi.json', '/acme/api/v1/search', '/nowhere', '/.auth/link/x'])(
    'are set on every response: %s',
    async (url) => {
      const { headers } = await http.server.inject(url);
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'strict-transport-security': 'max-age=31536000',
      });
      expect(headers['x-powered-by']).toBeUndefined();
    },
  );

  it('do not force https if the service uses http', async () => {
    const { server } = await openTestHttp(http.database, { baseUrl: 'http://127.0.0.1:3000' });
    const answer = await server.inject('/.status');
    expect(answer.headers['strict-transport-security']).toBeUndefined();
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });
});
