import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { openTestOauth, type TestClient, type TestOauth } from '../support/oauth-http.ts';

describeEachDatabase('an authorization', (open) => {
  let service: TestOauth;
  let client: TestClient;

  beforeAll(async () => {
    service = await openTestOauth(await open());
    client = await service.register();
  });
  afterAll(() => service.close());

  it('leads from registration to a token that opens /mcp and nothing more than was asked for', async () => {
    const { status, body, headers } = await service.connect(client);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        access_token: expect.any(String),
        refresh_token: expect.any(String),
        token_type: 'Bearer',
        scope: 'mcp',
        expires_in: 3600,
      },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await service.use(body.access_token)).toEqual({ rest: 403, mcp: 200 });
    expect(decodeProtectedHeader(body.access_token)).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: expect.any(String),
    });
    expect(decodeJwt(body.access_token)).toMatchObject({
      iss: service.baseUrl,
      aud: [service.baseUrl, `${service.baseUrl}/mcp`],
      sub: service.people.ann.userId,
      org: service.organizations.acme,
      gid: expect.any(String),
      client_id: client.client_id,
      scope: 'mcp',
    });
  });
});
