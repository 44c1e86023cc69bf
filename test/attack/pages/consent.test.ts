import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { formOf, ownForm, pageVisitor } from '../../support/http/page-visitor.ts';
import { openTestOauth, password, type TestOauth } from '../../support/identity/oauth-http.ts';

/** Headers of a browser that navigates to the response of a form. */
const navigation = { ...ownForm, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('the way from the consent page to the client', () => {
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

  async function openConsent(redirectUri = 'https://app.example/cb') {
    const visitor = pageVisitor(service.server);
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email: service.people.ann.email, password });
    const client = await service.register({ redirect_uris: [redirectUri] });
    /** Returns where the path redirects to; a path within the service. */
    const follow = async (url: string) => {
      const { location } = (await visitor.get(url.replace(service.baseUrl, ''))).headers;
      return String(location).replace(service.baseUrl, '');
    };
    const page = await visitor.get(await follow(service.authorizationUrl(client).url));
    const { action, fields } = formOf(page.body);
    const decide = (decision: 'allow' | 'deny', headers: Record<string, string> = navigation) =>
      visitor.post(action, { ...fields, organization: 'acme', decision }, headers);
    return { visitor, page, action, follow, decide };
  }

  it.each(['https://app.example/cb', 'http://127.0.0.1:33418/callback', 'cursor://anysphere/cb'])(
    'lets the form lead to this service only: %s',
    async (redirectUri) => {
      const { page } = await openConsent(redirectUri);
      expect(page.headers['content-security-policy']).toContain("form-action 'self';");
    },
  );

  it('RFC 9700 4.2: has no code in its page, and is closed to other browsers', async () => {
    const { action, follow, decide } = await openConsent();
    const answer = await decide('allow');
    expect(answer).toMatchObject({
      statusCode: 200,
      headers: { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' },
    });
    expect(answer.body).toContain(`content="0; url=${action}/continue"`);
    expect(answer.body).not.toMatch(/code=|app\.example|<script/);
    expect((await service.browser().open(`${action}/continue`)).status).toBe(404);
    for (let visit = 0; visit < 2; visit += 1) {
      expect(await follow(await follow(`${action}/continue`))).toMatch(/^https:\/\/app\.example\/cb\?code=/);
    }
  });

  it('leads to the client with the denial as well', async () => {
    const { action, follow, decide } = await openConsent();
    expect((await decide('deny')).statusCode).toBe(200);
    expect(await follow(await follow(`${action}/continue`))).toContain('error=access_denied');
  });

  it('leads nowhere before the decision', async () => {
    const { visitor, action } = await openConsent();
    expect((await visitor.get(`${action}/continue`)).statusCode).toBe(404);
  });

  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = navigation;
  it.each([{}, { accept: 'text/html' }, { 'sec-fetch-mode': mode }, { 'sec-fetch-dest': dest }])(
    'is a redirect for a program that sends %j',
    async (headers) => {
      const { decide } = await openConsent();
      const answer = await decide('allow', { ...ownForm, ...headers });
      expect(answer.statusCode).toBe(303);
      expect(answer.headers.location).toContain('/.auth/authorize/');
    },
  );
});
