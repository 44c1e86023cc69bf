import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { openTestOauth } from '../../support/identity/oauth-http.ts';

const form = 'application/x-www-form-urlencoded';

describeEachDatabase('the authorization server while its database is down', (open) => {
  it.each([
    ['/.auth/register', 'application/json', '{"redirect_uris":["http://127.0.0.1/cb"]}'],
    ['/.auth/token', form, 'grant_type=refresh_token&refresh_token=x&client_id=x'],
    ['/.auth/revoke', form, 'token=x&client_id=x'],
    ['/.auth/device-authorization', form, 'client_id=x'],
  ])('answers at %s without delay', async (path, type, body) => {
    const database = await open();
    const { server, baseUrl } = await openTestOauth(database);
    await database.close();
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
      signal: AbortSignal.timeout(10_000),
    });
    expect([answer.status, await answer.json()]).toEqual([
      expect.toBeOneOf([500, 503]),
      expect.objectContaining({ error: expect.stringMatching(/^(server_error|temporarily_unavailable)$/) }),
    ]);
    await server.close();
  });
});
