import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/databases.ts';
import { openTestHttp, type TestHttp } from '../../../test/support/http-server.ts';
import type { Database } from '../../foundation/db/database.ts';

describe('security headers', () => {
  let database: Database;
  let http: TestHttp;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestHttp(database);
  });
  afterAll(() => database.close());

  it.each(['/.status', '/openapi.json', '/acme/api/v1/search', '/nowhere', '/.auth/link/x'])(
    'are on every answer: %s',
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

  it('do not send browsers to https where the service is http', async () => {
    const { server } = await openTestHttp(database, { baseUrl: 'http://127.0.0.1:3000' });
    const answer = await server.inject('/.status');
    expect(answer.headers['strict-transport-security']).toBeUndefined();
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });
});
