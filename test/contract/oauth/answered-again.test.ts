import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../support/database/databases.ts';
import type { HttpBrowser } from '../../support/http/http-browser.ts';
import {
  openTestOauth,
  password,
  type TestClient,
  type TestOauth,
} from '../../support/identity/oauth-http.ts';

describeEachDatabase('a consent form that is submitted again', (open) => {
  let ahead = 0;
  const clock = () => Date.now() + ahead;
  let service: TestOauth;
  let client: TestClient;

  beforeAll(async () => {
    service = await openTestOauth(await open(), { clock });
    client = await service.register();
  });
  beforeEach(() => {
    ahead = 0;
  });
  afterAll(() => service.close());

  const grants = async (): Promise<number> =>
    (await service.database.queries.selectFrom('oauth_grants').select('id').execute()).length;
  const openConsent = async (browser: HttpBrowser) => {
    const authorization = service.authorizationUrl(client);
    const page = await browser.open(authorization.url);
    const credentials = { email: service.people.ann.email, password };
    return { ...authorization, page: await browser.submit(page, credentials) };
  };
  const allow = { organization: 'acme', decision: 'allow' };

  it.each([
    ['at the same moment', 0],
    ['after the client received its answer', 1],
  ])('%s redirects to the client again, with a code of the same grant', async (_when, first) => {
    const browser = service.browser();
    const { page, verifier } = await openConsent(browser);
    const before = await grants();
    const lost = first === 1 ? [await browser.submit(page, allow)] : [];
    const answers = [
      ...lost,
      // Two clicks send the same cookies, whichever response arrives first.
      ...(await Promise.all([browser, browser.fork()].map((tab) => tab.submit(page, allow)))),
    ];
    expect(await grants()).toBe(before + 1);
    const last = answers.at(-1)?.left as URL;
    const code = { code: last.searchParams.get('code') ?? '', verifier, answer: last };
    expect((await service.redeem(client, code)).status).toBe(200);
    expect(answers.map(({ left }) => left?.searchParams.get('state'))).toEqual(
      answers.map(() => 'the-state'),
    );
  });

  it('to deny does not revoke an approval, nor the reverse', async () => {
    for (const [first, second, parameter] of [
      ['allow', 'deny', 'code'],
      ['deny', 'allow', 'error'],
    ] as const) {
      const browser = service.browser();
      const { page } = await openConsent(browser);
      await browser.submit(page, { organization: 'acme', decision: first });
      const { left } = await browser.submit(page, { organization: 'acme', decision: second });
      expect(left?.searchParams.has(parameter)).toBe(true);
    }
  });

  it('from another browser redirects nowhere', async () => {
    const browser = service.browser();
    const { page } = await openConsent(browser);
    await browser.submit(page, allow);
    expect((await service.browser().submit(page, allow)).left).toBeUndefined();
  });

  it('after more than a minute is answered that nothing is pending', async () => {
    const browser = service.browser();
    const { page } = await openConsent(browser);
    await browser.submit(page, allow);
    ahead = 61_000;
    expect(await browser.submit(page, allow)).toMatchObject({ status: 404, left: undefined });
  });
});
