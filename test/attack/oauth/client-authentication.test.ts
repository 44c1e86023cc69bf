import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import type { HttpBrowser } from '../../support/http/http-browser.ts';
import { openTestOauth, type TestClient, type TestOauth } from '../../support/identity/oauth-http.ts';

type Fields = Readonly<Record<string, string>>;

const basic = (id: string, secret: string | undefined) => ({
  authorization: `Basic ${btoa(`${id}:${String(secret)}`)}`,
});

/** The client whose code is redeemed, and the form and headers that authenticate it. */
type Way = readonly [TestClient, Fields, Fields?];

describe('client authentication', () => {
  let database: TestDatabase;
  let service: TestOauth;
  /** A client without a secret, one registered for Basic, and one registered for the form. */
  let open: TestClient;
  let byBasic: TestClient;
  let byForm: TestClient;
  /** A signed-in browser. */
  let browser: HttpBrowser;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    service = await openTestOauth(database);
    open = await service.register();
    byBasic = await service.register({ token_endpoint_auth_method: 'client_secret_basic' });
    byForm = await service.register({ token_endpoint_auth_method: 'client_secret_post' });
    browser = service.browser();
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });

  const good: Readonly<Record<string, () => Way>> = {
    'its secret by Basic': () => [byBasic, {}, basic(byBasic.client_id, byBasic.client_secret)],
    'its secret in the form': () => [byForm, named(byForm, byForm.client_secret)],
    'its secret by the other method': () => [byBasic, named(byBasic, byBasic.client_secret)],
    'only its id, having no secret': () => [open, named(open)],
  };

  const assertion = {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: 'e30.e30.',
  };

  const bad: Readonly<Record<string, () => Way>> = {
    'a secret though it has none': () => [open, named(open, 'x')],
    'Basic though it has no secret': () => [open, {}, basic(open.client_id, 'x')],
    'no secret though it has one': () => [byForm, named(byForm)],
    'an empty secret': () => [byForm, named(byForm, '')],
    'an empty secret by Basic': () => [byBasic, {}, basic(byBasic.client_id, '')],
    'a wrong secret': () => [byForm, named(byForm, 'x')],
    'a wrong secret by Basic': () => [byBasic, {}, basic(byBasic.client_id, 'x')],
    'its secret with an extra character': () => [byForm, named(byForm, `${byForm.client_secret}A`)],
    'the secret of another client': () => [byForm, named(byForm, byBasic.client_secret)],
    'two methods at once': () => [
      byBasic,
      named(byBasic, byBasic.client_secret),
      basic(byBasic.client_id, byBasic.client_secret),
    ],
    'two client ids': () => [byBasic, named(byForm), basic(byBasic.client_id, byBasic.client_secret)],
    'Basic that is not base64': () => [byBasic, {}, { authorization: 'Basic ???' }],
    'Basic without a colon': () => [byBasic, {}, { authorization: `Basic ${btoa('x')}` }],
    'Basic of bytes that are not text': () => [byBasic, {}, { authorization: 'Basic /zr+' }],
    'Basic with broken percent signs': () => [byBasic, {}, basic('%', '%zz')],
    'another scheme': () => [byBasic, {}, { authorization: `Digest ${btoa('a:b')}` }],
    'a bearer token': () => [open, {}, { authorization: 'Bearer x' }],
    nothing: () => [open, {}],
    'an unsigned assertion': () => [byForm, { ...named(byForm), ...assertion }],
    'an assertion instead of a client id': () => [byForm, assertion],
  };

  it.each(Object.keys(good))('RFC 6749 2.3.1: succeeds with %s', async (way) => {
    expect((await redeem(good[way])).status).toBe(200);
  });

  it.each(Object.keys(bad))('RFC 6749 2.3, 5.2: fails with %s', async (way) => {
    const answer = await redeem(bad[way]);
    const body = await answer.json();
    expect([answer.status, body]).toEqual([
      expect.toBeOneOf([400, 401]),
      { error: expect.stringMatching(/^invalid_(client|request)$/), error_description: expect.any(String) },
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('RFC 6749 5.2: fails with a challenge of the scheme that the client tried', async () => {
    const { status, headers } = await redeem(bad['a wrong secret by Basic']);
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic /)]);
  });

  it.each(['/.auth/revoke', '/.auth/device-authorization'])(
    'RFC 7009 2.1, RFC 8628 3.1: is required at %s too',
    async (path) => {
      for (const secret of [undefined, '', 'x', byBasic.client_secret]) {
        const body = new URLSearchParams({ ...named(byForm, secret), token: 'x' });
        const answer = await fetch(service.baseUrl + path, { method: 'POST', body });
        expect(await answer.json()).toMatchObject({ error: 'invalid_client' });
      }
    },
  );

  function named({ client_id }: TestClient, client_secret?: string): Fields {
    return { client_id, ...(client_secret !== undefined && { client_secret }) };
  }

  async function redeem(way: (() => Way) | undefined): Promise<Response> {
    if (way === undefined) throw new Error('there is no such method');
    const [client, form, headers = {}] = way();
    const { code, verifier } = await service.codeFor(client, { browser });
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: client.redirectUri,
      ...form,
    });
    return fetch(`${service.baseUrl}/.auth/token`, { method: 'POST', headers: { ...headers }, body });
  }
});
