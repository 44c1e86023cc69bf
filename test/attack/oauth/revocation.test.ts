import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import type { HttpBrowser } from '../../support/http/http-browser.ts';
import { openTestOauth, type TestClient, type TestOauth } from '../../support/identity/oauth-http.ts';

describeEachDatabase('the revocation endpoint', (open) => {
  let service: TestOauth;
  let client: TestClient;
  let other: TestClient;
  let confidential: TestClient;
  /** A signed-in browser. */
  let browser: HttpBrowser;

  beforeAll(async () => {
    service = await openTestOauth(await open());
    client = await service.register();
    other = await service.register();
    confidential = await service.register({ token_endpoint_auth_method: 'client_secret_post' });
    browser = service.browser();
  });
  afterAll(() => service.close());

  const connect = async (of: TestClient = client) =>
    (await service.connect(of, { browser, parameters: { scope: 'mcp api' } })).body;
  const revoke = (form: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${service.baseUrl}/.auth/revoke`, { method: 'POST', body: new URLSearchParams(form) });
  const statuses = ({ access_token }: { readonly access_token: string }) => service.use(access_token);
  const accepted = { rest: 200, mcp: 200 };
  const refused = { rest: 401, mcp: 401 };

  it.each([
    ['no hint', {}],
    ['the right hint', { token_type_hint: 'refresh_token' }],
    ['a wrong hint', { token_type_hint: 'access_token' }],
    ['an unknown hint', { token_type_hint: 'pct' }],
    ['a prototype property as the hint', { token_type_hint: '__proto__' }],
  ])(
    'RFC 7009 2.1, 2.2: ends a grant by its refresh token, with %s, from the next call on',
    async (_, hint) => {
      const tokens = await connect();
      const token = tokens.refresh_token;
      expect(await statuses(tokens)).toEqual(accepted);
      expect((await revoke({ client_id: client.client_id, token, ...hint })).status).toBe(200);
      expect(await statuses(tokens)).toEqual(refused);
      expect((await service.refresh(client, token)).body.error).toBe('invalid_grant');
      expect((await revoke({ client_id: client.client_id, token, ...hint })).status).toBe(200);
    },
  );

  it('RFC 7009 2.1: ends all tokens of the grant, older and newer', async () => {
    const first = await connect();
    const second = (await service.refresh(client, first.refresh_token)).body;
    const third = (await service.refresh(client, second.refresh_token)).body;
    await revoke({ client_id: client.client_id, token: second.refresh_token });
    for (const tokens of [first, second, third]) {
      expect(await statuses(tokens)).toEqual(refused);
      expect((await service.refresh(client, tokens.refresh_token)).body.error).toBe('invalid_grant');
    }
  });

  it('RFC 7009 2.1: ends no other grant of the same person and client', async () => {
    const [mine, kept] = [await connect(), await connect()];
    await revoke({ client_id: client.client_id, token: mine.refresh_token });
    expect([await statuses(mine), await statuses(kept)]).toEqual([refused, accepted]);
  });

  it.each<[string, () => TestClient]>([
    ['a public client', () => other],
    ['a confidential client', () => confidential],
    ['the client of the command line', () => ({ client_id: 'orgctx-cli', redirectUri: '' })],
  ])('RFC 7009 2.1: ends nothing for %s that sends the token of another', async (_, otherClient) => {
    const tokens = await connect();
    const { client_id, client_secret } = otherClient();
    const secret = client_secret === undefined ? {} : { client_secret };
    const answer = await revoke({ client_id, ...secret, token: tokens.refresh_token });
    expect(answer.status).toBeLessThan(500);
    expect(await statuses(tokens)).toEqual(accepted);
    expect((await service.refresh(client, tokens.refresh_token)).status).toBe(200);
  });

  it('RFC 7009 2.1, 5: ends nothing for a client that does not authenticate', async () => {
    const tokens = await connect(confidential);
    const { client_id } = confidential;
    const token = tokens.refresh_token;
    for (const form of [{}, { client_id }, { client_id, client_secret: 'x' }, { client_id: 'unknown' }]) {
      const answer = await revoke({ ...form, token });
      expect([400, 401]).toContain(answer.status);
      expect(await answer.json()).toMatchObject({
        error: expect.stringMatching(/^invalid_(client|request)$/),
      });
    }
    expect(await statuses(tokens)).toEqual(accepted);
  });

  it.each(['unknown', 'x'.repeat(43), '\u0000', '__proto__', 'a.b.c', 'é', 'x'.repeat(20_000)])(
    'RFC 7009 2.2: does not disclose whether a token exists: %j',
    async (token) => {
      const answer = await revoke({ client_id: client.client_id, token });
      expect([answer.status, await answer.text()]).toEqual([200, '']);
    },
  );

  it('RFC 7009 2.2: gives the same answer for the token of another client and an unknown one', async () => {
    const tokens = await connect();
    const answers = [];
    for (const token of [tokens.refresh_token, 'unknown']) {
      const answer = await revoke({ client_id: other.client_id, token });
      answers.push([answer.status, await answer.text()]);
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  it('RFC 7009 2.2.1: reports that access tokens cannot be revoked individually, and leaves the token valid', async () => {
    const tokens = await connect();
    const answer = await revoke({ client_id: client.client_id, token: tokens.access_token });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'unsupported_token_type' }),
    ]);
    expect(await statuses(tokens)).toEqual(accepted);
  });

  it('RFC 7009 2: ends no API key, session or code', async () => {
    const { queries } = service.database;
    const owner = { userId: service.people.ann.userId, name: 'x' };
    const { apiKey } = await createApiKey(queries, owner, systemClock);
    const code = await service.codeFor(client, { browser });
    for (const token of [apiKey, code.code]) {
      expect((await revoke({ client_id: other.client_id, token })).status).toBeLessThan(500);
    }
    expect((await service.use(apiKey)).rest).toBe(200);
    expect((await service.redeem(client, code)).status).toBe(200);
  });

  it.each(['GET', 'PUT', 'DELETE'])('RFC 7009 2.1: accepts no %s', async (method) => {
    const tokens = await connect();
    const query = new URLSearchParams({ client_id: client.client_id, token: 'x' }).toString();
    const { status } = await fetch(`${service.baseUrl}/.auth/revoke?${query}`, { method });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(await statuses(tokens)).toEqual(accepted);
  });

  it('RFC 7009 2.1: reads nothing from the URL, where it would be logged', async () => {
    const tokens = await connect();
    const query = new URLSearchParams({ client_id: client.client_id, token: tokens.refresh_token });
    const url = `${service.baseUrl}/.auth/revoke?${query.toString()}`;
    expect((await fetch(url, { method: 'POST', body: new URLSearchParams() })).status).toBe(400);
    expect(await statuses(tokens)).toEqual(accepted);
    expect(service.logged.join('\n')).not.toContain(tokens.refresh_token);
  });

  it.each([
    '/.auth/introspect',
    '/.auth/introspection',
    '/.auth/token/introspection',
    '/token/introspection',
    '/introspect',
  ])('RFC 7662 2.1, 4: discloses nothing about a token at %s', async (path) => {
    const { access_token } = await connect();
    const form = { client_id: confidential.client_id, client_secret: String(confidential.client_secret) };
    const answer = await fetch(service.baseUrl + path, {
      method: 'POST',
      body: new URLSearchParams({ ...form, token: access_token }),
    });
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('"active":true');
  });

  it('RFC 7662 4: advertises no introspection in the metadata', async () => {
    const answer = await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`);
    expect(await answer.text()).not.toContain('introspection');
  });

  it('leaves ending a grant to its person over REST too: only that grant ends, from the next call on', async () => {
    const mine = await connect();
    const gilTokens = (
      await service.connect(client, { who: 'gil', organization: 'globex', parameters: { scope: 'mcp api' } })
    ).body;
    const owner = await createApiKey(
      service.database.queries,
      { userId: service.people.gil.userId, name: 'x' },
      systemClock,
    );
    const idOf = ({ access_token }: { readonly access_token: string }): string =>
      String(decodeJwt(access_token)['gid']);
    const end = async (id: string, orgSlug: string) => {
      const authorization = `Bearer ${owner.apiKey}`;
      const url = `${service.baseUrl}/${orgSlug}/api/v1/grants/${id}`;
      return (await fetch(url, { method: 'DELETE', headers: { authorization } })).status;
    };
    expect(await end(idOf(mine), 'globex')).toBe(404);
    expect(await end(idOf(mine), 'acme')).toBe(403);
    expect(await statuses(mine)).toEqual(accepted);
    expect(await end(idOf(gilTokens), 'globex')).toBe(204);
    expect(await service.use(gilTokens.access_token, 'globex')).toEqual(refused);
    expect((await service.refresh(client, gilTokens.refresh_token)).body.error).toBe('invalid_grant');
    expect(await end(idOf(gilTokens), 'globex')).toBe(404);
  });
});
