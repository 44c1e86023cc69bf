import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { hasBrowser, useBrowser } from '../../support/http/chromium.ts';
import { violations } from '../../support/http/violations.ts';
import { openTestOauth, type TestOauth } from '../../support/identity/oauth-http.ts';

/** The service runs in this process, from source; a real Chromium renders the reference over HTTP. */
describe.skipIf(!hasBrowser())('the API reference in a browser', () => {
  const browser = useBrowser();
  let database: TestDatabase;
  let service: TestOauth;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    service = await openTestOauth(database);
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });

  it.each(['light', 'dark'] as const)(
    'is accessible in %s mode, and asks no other origin',
    async (colorScheme) => {
      const person = await browser.newPerson({ colorScheme });
      const page = await person.newPage();
      await page.goto(`${service.baseUrl}/.docs/api-reference`);
      await page.getByRole('heading', { name: 'orgctx', level: 1 }).waitFor();
      await page.getByText('Repositories', { exact: true }).first().waitFor();
      expect(await violations(page)).toEqual([]);
    },
  );

  it('sends a request with the credential that was entered', async () => {
    const client = await service.register({ client_name: 'Reference' });
    const { body } = await service.connect(client, { parameters: { scope: 'api' } });
    const person = await browser.newPerson();
    const page = await person.newPage();
    const origins = new Set<string>();
    page.on('request', (request) =>
      origins.add(new URL(request.url()).protocol + new URL(request.url()).host),
    );
    await page.goto(`${service.baseUrl}/.docs/api-reference#tag/identity/GET/api/v1/me`);
    await page.getByRole('textbox', { name: /token/i }).first().fill(body.access_token);
    await page.getByRole('button', { name: /Test Request.*\/api\/v1\/me/i }).click();
    const answered = page.waitForResponse((response) => response.url() === `${service.baseUrl}/api/v1/me`);
    await page.getByRole('button', { name: /^Send/i }).first().click();
    expect((await answered).status()).toBe(200);
    expect(
      [...origins].filter((origin) => !origin.startsWith('data:') && !origin.startsWith('blob:')),
    ).toEqual([`http:${new URL(service.baseUrl).host}`]);
  });
});
