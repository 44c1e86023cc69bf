import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import type { HttpBrowser } from '../support/http-browser.ts';
import { openTestOauth, password, type TestClient, type TestOauth } from '../support/oauth-http.ts';

describeEachDatabase('a form of consent that is sent again', (open) => {
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
  const shown = async (browser: HttpBrowser) => {
    const asked = service.authorizationUrl(client);
    const page = await browser.open(asked.url);
    const credentials = { email: service.people.ann.email, password };
    return { ...asked, page: await browser.submit(page, credentials) };
  };
  const allow = { organization: 'acme', decision: 'allow' };

  it.each([
    ['at the same moment', 0],
    ['after the client had its answer', 1],
  ])('%s leads to the client again, with a code of the one grant', async (_when, first) => {
    const browser = service.browser();
    const { page, verifier } = await shown(browser);
    const before = await grants();
    const lost = first === 1 ? [await browser.submit(page, allow)] : [];
    const answers = [
      ...lost,
      ...(await Promise.all([browser.submit(page, allow), browser.submit(page, allow)])),
    ];
    expect(await grants()).toBe(before + 1);
    const last = answers.at(-1)?.left as URL;
    const code = { code: last.searchParams.get('code') ?? '', verifier, answer: last };
    expect((await service.redeem(client, code)).status).toBe(200);
    expect(answers.map(({ left }) => left?.searchParams.get('state'))).toEqual(
      answers.map(() => 'the-state'),
    );
  });

  it('to deny leaves it allowed, and the other way round', async () => {
    for (const [first, second, told] of [
      ['allow', 'deny', 'code'],
      ['deny', 'allow', 'error'],
    ] as const) {
      const browser = service.browser();
      const { page } = await shown(browser);
      await browser.submit(page, { organization: 'acme', decision: first });
      const { left } = await browser.submit(page, { organization: 'acme', decision: second });
      expect(left?.searchParams.has(told)).toBe(true);
    }
  });

  it('from another browser leads nowhere', async () => {
    const browser = service.browser();
    const { page } = await shown(browser);
    await browser.submit(page, allow);
    expect((await service.browser().submit(page, allow)).left).toBeUndefined();
  });

  it('more than a minute later is told that nothing waits any more', async () => {
    const browser = service.browser();
    const { page } = await shown(browser);
    await browser.submit(page, allow);
    ahead = 61_000;
    expect(await browser.submit(page, allow)).toMatchObject({ status: 404, left: undefined });
  });
});
