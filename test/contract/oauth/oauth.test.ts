import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  describeEachDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { openTestOauth, type TestClient, type TestOauth } from '../../support/identity/oauth-http.ts';

describeEachDatabase('an authorization', (open) => {
  let service: TestOauth;
  let client: TestClient;

  beforeAll(async () => {
    service = await openTestOauth(await open());
    client = await service.register();
  });
  afterAll(() => service.close());

  it('leads from registration to a token that gives access to /mcp and nothing more than was requested', async () => {
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

  it('is bound to the organization that was chosen in its own tab', async () => {
    const browser = service.browser();
    const tabs = [service.authorizationUrl(client), service.authorizationUrl(client)];
    const chosen = ['acme', 'globex'];
    const first = await service.answer(browser, tabs[0]?.url ?? '', { who: 'bob', organization: 'acme' });
    expect(first.left?.searchParams.has('code')).toBe(true);
    const codes = await Promise.all(
      tabs.map(async ({ url, verifier }, tab) => {
        const organization = chosen[tab] ?? '';
        const { left } = await service.answer(browser, url, { who: 'bob', organization });
        return { code: left?.searchParams.get('code') ?? '', verifier, answer: left as URL };
      }),
    );
    const tokens = await Promise.all(codes.map((code) => service.redeem(client, code)));
    const { acme, globex } = service.organizations;
    expect(tokens.map(({ body }) => decodeJwt(body.access_token)['org'])).toEqual([acme, globex]);
    const [ofAcme] = tokens.map(({ body }) => body.access_token);
    expect((await service.use(ofAcme ?? '', 'globex')).rest).toBe(403);
  });

  it('asks for consent each time, whatever was allowed before', async () => {
    const browser = service.browser();
    await service.codeFor(client, { browser });
    const page = await browser.open(service.authorizationUrl(client).url);
    expect(page.left).toBeUndefined();
    expect(page.html).toContain('name="decision"');
    const silent = service.authorizationUrl(client, { prompt: 'none' });
    const { left } = await browser.open(silent.url);
    expect(left?.searchParams.get('error')).toBe('login_required');
    expect(left?.searchParams.get('iss')).toBe(service.baseUrl);
  });

  it.each(['login', 'consent', 'select_account', 'login consent select_account'])(
    'accepts prompt=%s, and asks once',
    async (prompt) => {
      const { answer } = await service.codeFor(client, { parameters: { prompt } });
      expect(answer.searchParams.has('code')).toBe(true);
    },
  );

  it('advertises no prompt that it does not support: it never asks for the password again', async () => {
    expect((await service.oauth.metadata())['prompt_values_supported']).toEqual([
      'none',
      'consent',
      'select_account',
    ]);
  });

  it('that is denied returns the error to the client, with its state and the issuer', async () => {
    const { answer } = await service.codeFor(client, { decision: 'deny' });
    expect(Object.fromEntries(answer.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'the-state',
      iss: service.baseUrl,
    });
  });

  it('can be answered only in the browser that started it, and once', async () => {
    const browser = service.browser();
    const page = await browser.open(service.authorizationUrl(client).url);
    const signedIn = await browser.submit(page, {
      email: service.people.ann.email,
      password: 'correct horse battery staple',
    });
    expect((await service.browser().open(signedIn.url)).status).toBe(404);
    const first = await browser.submit(signedIn, { organization: 'acme', decision: 'allow' });
    expect(first.left?.searchParams.has('code')).toBe(true);
    expect((await browser.open(signedIn.url)).status).toBe(404);
  });

  it.each([
    [{}, 'mcp'],
    [{ scope: 'offline_access' }, 'mcp'],
    [{ scope: 'api offline_access' }, 'api'],
    [{ scope: 'mcp api openid profile' }, 'mcp api'],
    [{ scope: 'openid mcp', nonce: 'n', max_age: '0', display: 'page' }, 'mcp'],
    [{ scope: 'openid profile' }, 'mcp'],
    [{ scope: 'openid offline_access' }, 'mcp'],
    [{ resource: 'BASE' }, 'mcp'],
    [{ resource: 'BASE/' }, 'mcp'],
    [{ resource: 'BASE/mcp?orgSlug=acme', scope: 'mcp' }, 'mcp'],
  ])('with %j is for both audiences, with the scope %s', async (requested, scope) => {
    const parameters = Object.fromEntries(
      Object.entries(requested).map(([name, value]) => [name, value.replace('BASE', service.baseUrl)]),
    );
    const { status, body } = await service.connect(client, { parameters });
    expect({ status, scope: body['scope'] }).toEqual({ status: 200, scope });
    expect(decodeJwt(body.access_token).aud).toEqual([service.baseUrl, `${service.baseUrl}/mcp`]);
  });

  it.each([
    [{ scope: 'mcp' }, { scope: 'mcp api' }, 'mcp api'],
    [{ scope: 'mcp' }, { scope: 'api' }, 'api'],
    [{ scope: 'api' }, {}, 'mcp'],
    [{ scope: 'openid profile' }, { scope: 'mcp offline_access' }, 'mcp'],
  ])('of a client registered with %j may ask for %j and gets %s', async (metadata, parameters, scope) => {
    const registered = await service.register(metadata);
    const { status, body } = await service.connect(registered, { parameters });
    expect({ status, scope: body['scope'] }).toEqual({ status: 200, scope });
  });

  it('accepts equal resources that are given twice', async () => {
    const mcp = `${service.baseUrl}/mcp`;
    const { url } = service.authorizationUrl(client, { resource: [mcp, `${mcp}?orgSlug=acme`, mcp] });
    const { left } = await service.answer(service.browser(), url);
    expect(left?.searchParams.has('code')).toBe(true);
  });

  it.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE without a method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a token instead of a code', { response_type: 'token' }, 'unsupported_response_type'],
    ['an id_token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['an answer by form_post', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['an answer in a fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['another resource', { resource: 'https://elsewhere.example' }, 'invalid_target'],
    ['a resource with a fragment', { resource: 'BASE/mcp#x' }, 'invalid_target'],
    ['an invalid resource', { resource: 'mcp' }, 'invalid_target'],
    ['a request object', { request: 'x.y.z' }, 'request_not_supported'],
    ['a request URI', { request_uri: 'urn:x' }, 'request_uri_not_supported'],
    ['an unknown prompt', { prompt: 'create' }, 'invalid_request'],
    ['its state twice', { state: ['a', 'b'] }, 'invalid_request'],
    ['its scope twice', { scope: ['mcp', 'api'] }, 'invalid_request'],
    ['an invalid scope', { scope: 'mcp "x' }, 'invalid_scope'],
  ])(
    'with %s is refused with an error to the client in the query, with the issuer',
    async (_what, requested, error) => {
      const parameters = Object.fromEntries(
        Object.entries(requested).map(([name, value]) => [
          name,
          typeof value === 'string' ? value.replace('BASE', service.baseUrl) : value,
        ]),
      );
      const { url } = service.authorizationUrl(client, parameters);
      const answer = await service.browser().send(url);
      expect(answer.status).toBe(303);
      const left = new URL(answer.headers.get('location') ?? '');
      expect(left.origin + left.pathname).toBe(client.redirectUri);
      expect(Object.fromEntries(left.searchParams)).toMatchObject({ error, iss: service.baseUrl });
      expect(left.hash).toBe('');
    },
  );

  it.each([
    ['an unknown client', { client_id: 'unknown' }],
    ['no client', { client_id: undefined }],
    ['two clients', { client_id: ['a', 'b'] }],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:33418/other' }],
    ['a redirect URI elsewhere', { redirect_uri: 'https://evil.example/callback' }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['two redirect URIs', { redirect_uri: ['http://127.0.0.1:33418/callback', 'https://evil.example'] }],
    ['a client that is a script', { client_id: '<script>alert(1)</script>\0' }],
  ])('with %s ends at a page of the service, without a redirect', async (_what, parameters) => {
    const { url } = service.authorizationUrl(client, parameters);
    const answer = await service.browser().send(url);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const html = await answer.text();
    expect(html).not.toContain('<script');
    expect(html).toContain(answer.headers.get('x-request-id') ?? 'no id');
  });

  it('reaches a loopback client on any port', async () => {
    const moved = { ...client, redirectUri: 'http://127.0.0.1:49152/callback' };
    const { status } = await service.connect(moved);
    expect(status).toBe(200);
  });

  it('of a confidential client needs its secret, by Basic or in the form', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const confidential = await service.register({ token_endpoint_auth_method: method });
      const code = await service.codeFor(confidential);
      const { client_secret: _secret, ...without } = confidential;
      expect((await service.redeem(without, code)).body.error).toBe('invalid_client');
      const wrong = { ...confidential, client_secret: 'wrong' };
      expect((await service.redeem(wrong, code)).body.error).toBe('invalid_client');
      expect((await service.redeem(confidential, code)).status).toBe(200);
    }
  });
});

describe('the authorization server', () => {
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
  afterEach(() => vi.restoreAllMocks());

  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(service.baseUrl + path, { ...init, redirect: 'manual' });
  const post = (path: string, form: string, headers: Record<string, string> = {}): Promise<Response> =>
    send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: form,
    });

  it.each([
    ['GET', '/.auth/token', 'POST'],
    ['GET', '/.auth/register', 'POST'],
    ['GET', '/.auth/revoke', 'POST'],
    ['GET', '/.auth/device-authorization', 'POST'],
    ['POST', '/.auth/authorize', 'GET'],
  ])('answers %s %s with 405', async (method, path, allow) => {
    const answer = await send(path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toContain(allow);
  });

  it('serves neither userinfo, introspection, pushed requests nor sign-out of its library', async () => {
    for (const path of ['/me', '/.auth/me', '/token/introspection', '/request', '/session/end/confirm']) {
      expect((await post(path, 'token=x')).status).toBe(404);
    }
  });

  it('lets pages of any origin register and request tokens, never with cookies and never at its own forms', async () => {
    const origin = 'https://anywhere.example';
    for (const path of ['/.auth/register', '/.auth/token', '/.auth/revoke', '/.auth/jwks']) {
      const preflight = await send(path, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      const answer = path.endsWith('jwks')
        ? await send(path, { headers: { origin } })
        : await post(path, '', { origin });
      for (const { headers } of [preflight, answer]) {
        expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*']);
        expect(headers.get('access-control-allow-credentials')).toBeNull();
      }
    }
    for (const path of ['/.auth/authorize', '/.auth/device', '/.auth/device/done']) {
      const { headers } = await send(path, { headers: { origin } });
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, null]);
    }
  });

  it('explains the next step when an expired or answered authorization is resumed', async () => {
    const answer = await send('/.auth/authorize/unknown');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('was already answered');
  });

  it('publishes public keys only', async () => {
    const { keys } = (await (await send('/.auth/jwks')).json()) as { keys: Record<string, unknown>[] };
    expect(keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        alg: 'ES256',
        use: 'sig',
        kid: expect.any(String),
        x: expect.any(String),
        y: expect.any(String),
      },
    ]);
  });

  it.each([
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example' },
  ])('uses AUTH_BASE_URL as its issuer, whatever a request contains: %j', async (headers) => {
    const form = new URLSearchParams({ client_id: 'orgctx-cli' });
    // A client of its own, because fetch does not send another Host.
    const answer = await service.server.inject({
      method: 'POST',
      url: '/.auth/device-authorization',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: form.toString(),
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ verification_uri: `${service.baseUrl}/.auth/device` });
    expect(answer.body).not.toContain('evil');
  });

  it('answers 413 to more than 64 KiB, in one piece and chunked', async () => {
    const large = `client_id=x&grant_type=${'x'.repeat(64 * 1024)}`;
    expect((await post('/.auth/token', large)).status).toBe(413);
    const body = new ReadableStream({
      start(controller) {
        for (let n = 0; n < 40; n += 1) controller.enqueue(Buffer.alloc(2048, 'x'));
        controller.close();
      },
    });
    const chunked = await send('/.auth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
  });

  it('never fails on invalid input', async () => {
    const hostile = [
      '',
      '%',
      'a=%00',
      '__proto__=x&constructor=y',
      'client_id[]=x',
      'client_id=a&client_id=b',
    ];
    const more = [
      'grant_type=password&client_id=orgctx-cli',
      `refresh_token=${'é'.repeat(500)}&grant_type=refresh_token&client_id=orgctx-cli`,
    ];
    const codes = [
      'grant_type=authorization_code&client_id=orgctx-cli&code=x',
      'client_id=https://127.0.0.1/x',
    ];
    for (const path of ['/.auth/token', '/.auth/revoke', '/.auth/device-authorization', '/.auth/device']) {
      for (const form of [...hostile, ...more, ...codes]) {
        const { status } = await post(path, form);
        expect([path, form, status < 500]).toEqual([path, form, true]);
      }
    }
    for (const body of ['', '{', '[]', 'null', '"x"', '{"redirect_uris":{}}', '{"client_name":{"a":1}}']) {
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        const answer = await send('/.auth/register', {
          method: 'POST',
          headers: { 'content-type': type },
          body,
        });
        expect([body, type, answer.status]).toEqual([body, type, 400]);
      }
    }
    for (const query of [
      '',
      '?%',
      '?client_id=%00',
      `?state=${'x'.repeat(8000)}`,
      '?client_id[]=x&redirect_uri[]=y',
    ]) {
      const { status } = await send(`/.auth/authorize${query}`);
      expect([query.slice(0, 20), status]).toEqual([query.slice(0, 20), 400]);
    }
    for (const path of ['/.auth/authorize/unknown', '/.auth/authorize/%00', '/.auth/interaction/%00']) {
      const { status } = await send(path);
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
    }
    expect(service.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('prints no output of its library', async () => {
    const printed = ['info', 'warn', 'error', 'log'].map((name) =>
      vi.spyOn(console, name as 'info').mockImplementation(() => undefined),
    );
    const errors = vi.spyOn(process.stderr, 'write');
    const quiet = await openTestOauth(database);
    const client = await quiet.register();
    const { body } = await quiet.connect(client);
    await quiet.refresh(client, body.refresh_token);
    await fetch(`${quiet.baseUrl}/.auth/authorize`);
    await fetch(`${quiet.baseUrl}/.auth/jwks`);
    for (const path of ['revoke', 'device-authorization']) {
      const form = new URLSearchParams({ client_id: client.client_id, token: body.refresh_token });
      await fetch(`${quiet.baseUrl}/.auth/${path}`, { method: 'POST', body: form });
    }
    await quiet.close();
    expect(printed.flatMap(({ mock }) => mock.calls)).toEqual([]);
    expect(errors.mock.calls).toEqual([]);
  });
});
