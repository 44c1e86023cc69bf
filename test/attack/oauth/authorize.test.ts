import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import type { HttpBrowser } from '../../support/http/http-browser.ts';
import { formOf, ownForm } from '../../support/http/page-visitor.ts';
import {
  openTestOauth,
  password,
  type TestClient,
  type TestOauth,
} from '../../support/identity/oauth-http.ts';

const registered = 'http://127.0.0.1:33418/callback';
const web = 'https://app.example/cb';
const hostile = `"'><script>alert(1)</script>`;

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

describe('the authorization endpoint', () => {
  let database: TestDatabase;
  let service: TestOauth;
  let client: TestClient;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    service = await openTestOauth(database);
    client = await service.register({ redirect_uris: [registered, web] });
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });
  beforeEach(() => database.queries.deleteFrom('attempts').execute());

  const begin = (parameters: Parameters, browser: HttpBrowser = service.browser()): Promise<Response> =>
    browser.send(service.authorizationUrl(client, parameters).url);
  const locationOf = ({ headers }: Response): URL | undefined => {
    const location = headers.get('location');
    return location === null ? undefined : new URL(location, service.baseUrl);
  };
  const grants = async (): Promise<number> =>
    (await database.queries.selectFrom('oauth_grants').select('id').execute()).length;

  it.each<[string, Parameters]>([
    ['on another host', { redirect_uri: 'http://evil.example:33418/callback' }],
    ['on another path', { redirect_uri: 'http://127.0.0.1:33418/other' }],
    ['whose host begins with the registered one', { redirect_uri: 'http://127.0.0.1.evil.example/callback' }],
    ['whose host ends with the registered one', { redirect_uri: 'https://evilapp.example/cb' }],
    ['on a subdomain', { redirect_uri: 'https://evil.app.example/cb' }],
    ['whose path begins with the registered one', { redirect_uri: `${registered}.evil` }],
    ['below the registered path', { redirect_uri: `${registered}/evil` }],
    ['with a user name', { redirect_uri: 'https://app.example@evil.example/cb' }],
    ['with a user name before the registered host', { redirect_uri: 'https://evil@app.example/cb' }],
    ['with a fragment', { redirect_uri: `${web}#evil` }],
    ['with an empty fragment', { redirect_uri: `${web}#` }],
    ['with an encoded slash', { redirect_uri: 'https://app.example/%2fcb' }],
    ['with an encoded letter', { redirect_uri: 'https://app.example/%63b' }],
    ['with a way up', { redirect_uri: 'https://app.example/x/../cb' }],
    ['with a backslash', { redirect_uri: 'https://app.example\\@evil.example/cb' }],
    ['in another case', { redirect_uri: 'https://app.example/CB' }],
    ['with another query', { redirect_uri: `${web}?next=https://evil.example` }],
    ['on another port', { redirect_uri: 'https://app.example:8443/cb' }],
    ['without TLS', { redirect_uri: 'http://app.example/cb' }],
    ['by a name of the loopback address', { redirect_uri: 'http://localhost:33418/callback' }],
    ['by a number of the loopback address', { redirect_uri: 'http://2130706433:33418/callback' }],
    ['of a scheme that runs code', { redirect_uri: 'javascript:alert(1)' }],
    ['that is relative', { redirect_uri: '/callback' }],
    ['that is relative to the scheme', { redirect_uri: '//app.example/cb' }],
    ['with a line break', { redirect_uri: `${web}\r\nlocation: https://evil.example` }],
    ['with space around it', { redirect_uri: ` ${web}` }],
    ['that is empty', { redirect_uri: '' }],
    ['that is missing', { redirect_uri: undefined }],
    ['that is there twice, once as registered', { redirect_uri: [registered, 'https://evil.example/cb'] }],
  ])(
    'RFC 9700 2.1, 4.1, RFC 6749 3.1.2.4: shows an error page for a redirect URI %s',
    async (_, parameters) => {
      const answer = await begin({ prompt: 'none', ...parameters });
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await answer.text()).not.toMatch(/evil\.example|http-equiv/);
    },
  );

  it('RFC 9700 2.1: does not redirect to the only redirect URI of a client when the request has none', async () => {
    const { url } = service.authorizationUrl(await service.register(), { redirect_uri: undefined });
    const answer = await service.browser().send(url);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  it.each(['http://127.0.0.1:1/callback', 'http://127.0.0.1:65535/callback', 'http://127.0.0.1/callback'])(
    'RFC 8252 7.3: accepts any port of a loopback address: %s',
    async (redirect_uri) => {
      expect(locationOf(await begin({ redirect_uri }))?.pathname).toMatch(/^\/\.auth\/interaction\//);
    },
  );

  it.each<[string, Parameters]>([
    ['an unknown client', { client_id: 'unknown' }],
    ['no client', { client_id: undefined }],
    ['the client of the command line', { client_id: 'orgctx-cli' }],
    ['a client twice', { client_id: ['orgctx-cli', 'unknown'] }],
    ['a client that is a word of the prototype', { client_id: '__proto__' }],
    ['a client that is a name of a table row', { client_id: 'Client:x' }],
  ])('RFC 9700 4.11.2: is no open redirector for %s with prompt=none', async (_, parameters) => {
    const redirect_uri = 'https://evil.example/cb';
    const answer = await begin({ prompt: 'none', redirect_uri, ...parameters });
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(await answer.text()).not.toContain('evil.example');
  });

  it('RFC 7591 2: a registration cannot permit itself every loopback address', async () => {
    const { client_id } = await service.register({ redirect_uris: [registered], undocumented: true });
    const answer = await begin({ client_id, redirect_uri: 'http://127.0.0.1:33418/other' });
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  });

  it('RFC 6749 4.1.2.1: does not redirect an unknown client to the machine of the user, but links there', async () => {
    const answer = await begin({ client_id: 'unknown', redirect_uri: 'http://localhost:33418/cb' });
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    const html = await answer.text();
    expect(html).toContain('its registration has expired');
    const href = /<a href="([^"]+)">Go back to/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(href).toMatch(/^http:\/\/localhost:33418\/cb\?error=unauthorized_client&.*state=the-state/);
  });

  it.each<[string, Parameters]>([
    ['prompt=none', { prompt: 'none' }],
    ['an unknown prompt', { prompt: 'create' }],
    ['a scope that is none', { scope: hostile }],
    ['a response type of others', { response_type: 'token' }],
    ['a response mode of others', { response_mode: 'form_post' }],
    ['PKCE with plain', { code_challenge_method: 'plain' }],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['a resource of others', { resource: 'https://evil.example/mcp' }],
    ['a request object', { request: 'e30.e30.' }],
    ['a request URI', { request_uri: 'https://evil.example/request' }],
    ['a state twice', { state: ['a', 'b'] }],
  ])('RFC 9700 4.11.2: is no open redirector for a self-registered client, with %s', async (...row) => {
    const places = { 'https://evil.example/cb?a=b': 'evil.example', 'cursor://evil/cb': 'cursor://' };
    for (const [redirect_uri, name] of Object.entries(places)) {
      const attacker = await service.register({ redirect_uris: [redirect_uri] });
      const { url } = service.authorizationUrl(attacker, row[1]);
      const signedOut = await service.browser().send(url);
      expect([signedOut.status, signedOut.headers.get('location')]).toEqual([400, null]);
      expect(signedOut.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const html = await signedOut.text();
      expect(html).not.toMatch(/http-equiv|<script|<form/);
      expect(html).toContain(`<strong>${name}</strong>`);
      const href = /<a href="([^"]+)">Go back to/.exec(html)?.[1]?.replaceAll('&amp;', '&');
      expect(href?.startsWith(redirect_uri)).toBe(true);
      const { searchParams } = new URL(href ?? '');
      expect(searchParams.get('error')).toBeTruthy();
      expect([searchParams.get('iss'), searchParams.get('state')]).toEqual([
        service.baseUrl,
        Array.isArray(row[1]['state']) ? null : 'the-state',
      ]);
    }
  });

  it('RFC 9700 4.11.2: redirects to no client after a sign-in before the person decides', async () => {
    const attacker = await service.register({ redirect_uris: ['https://evil.example/cb'] });
    const { pathname, search } = new URL(service.authorizationUrl(attacker, { prompt: 'none' }).url);
    const browser = service.browser();
    const page = await browser.open(`/.auth/sign-in?returnTo=${encodeURIComponent(pathname + search)}`);
    const end = await browser.submit(page, { email: 'ann@example.com', password });
    expect([end.left, end.status]).toEqual([undefined, 400]);
    expect(end.html).toContain('evil.example');
  });

  it.each(['allow', 'deny'] as const)('returns the answer to any client after %s', async (decision) => {
    for (const redirect_uri of ['https://app.example/cb', 'cursor://app/cb']) {
      const other = await service.register({ redirect_uris: [redirect_uri] });
      const { url } = service.authorizationUrl(other);
      const { left } = await service.answer(service.browser(), url, { decision });
      expect(left?.href.startsWith(redirect_uri)).toBe(true);
      expect(left?.searchParams.has(decision === 'allow' ? 'code' : 'error')).toBe(true);
    }
  });

  it.each([
    ['none', 'login_required'],
    ['none login', 'invalid_request'],
    ['none consent', 'invalid_request'],
  ])(
    'RFC 9700 4.11.2, RFC 8252 8.6: allows nothing silently, even after an earlier approval: prompt=%s',
    async (prompt, error) => {
      const browser = service.browser();
      const { answer } = await service.codeFor(client, { browser });
      expect(answer.searchParams.get('code')).toBeTruthy();
      const before = await grants();
      const left = locationOf(await begin({ prompt }, browser));
      expect(left?.searchParams.get('error')).toBe(error);
      expect(left?.searchParams.get('code')).toBeNull();
      expect(await grants()).toBe(before);
    },
  );

  it('RFC 8252 8.6: asks again, whatever this browser allowed the same client before', async () => {
    const browser = service.browser();
    await service.codeFor(client, { browser });
    const page = await browser.open(service.authorizationUrl(client).url);
    expect(page.left).toBeUndefined();
    expect(page.html).toContain('name="decision"');
  });

  const verifier = 'v'.repeat(43);
  const challenge = createHash('sha256').update(verifier).digest('base64url');

  it.each<[string, Parameters]>([
    ['none', { code_challenge: undefined, code_challenge_method: undefined }],
    ['a method without a challenge', { code_challenge: undefined }],
    ['an empty one', { code_challenge: '' }],
    ['plain', { code_challenge: verifier, code_challenge_method: 'plain' }],
    ['no method, which would be plain', { code_challenge: verifier, code_challenge_method: undefined }],
    ['S256 in small letters', { code_challenge: challenge, code_challenge_method: 's256' }],
    ['S512', { code_challenge: challenge, code_challenge_method: 'S512' }],
    ['one that is too short', { code_challenge: challenge.slice(0, 42) }],
    ['one that is too long', { code_challenge: 'a'.repeat(129) }],
    ['one that is no base64url', { code_challenge: `${challenge.slice(0, 42)}+` }],
    ['two', { code_challenge: [challenge, verifier] }],
    ['two methods', { code_challenge_method: ['S256', 'plain'] }],
  ])('RFC 9700 2.1.1, RFC 7636 4.4.1: refuses PKCE with %s', async (_, parameters) => {
    const left = locationOf(await begin(parameters));
    expect(left?.origin).toBe('http://127.0.0.1:33418');
    expect(left?.searchParams.get('error')).toBe('invalid_request');
    expect(left?.searchParams.get('code')).toBeNull();
  });

  it('RFC 9700 2.1.1: requires PKCE of a confidential client too', async () => {
    const confidential = await service.register({ token_endpoint_auth_method: 'client_secret_basic' });
    const { url } = service.authorizationUrl(confidential, {
      code_challenge: undefined,
      code_challenge_method: undefined,
    });
    const left = locationOf(await service.browser().send(url));
    expect(left?.searchParams.get('error')).toBe('invalid_request');
  });

  it.each<[string, Parameters, string]>([
    ['token', { response_type: 'token' }, 'unsupported_response_type'],
    ['id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['code token', { response_type: 'code token' }, 'unsupported_response_type'],
    ['none', { response_type: 'none' }, 'unsupported_response_type'],
    ['CODE', { response_type: 'CODE' }, 'unsupported_response_type'],
    ['two types', { response_type: ['code', 'token'] }, 'invalid_request'],
    ['a fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['a form', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['a message', { response_mode: 'web_message' }, 'unsupported_response_mode'],
    ['a JWT', { response_mode: 'jwt' }, 'unsupported_response_mode'],
    ['two modes', { response_mode: ['query', 'fragment'] }, 'invalid_request'],
  ])('RFC 9700 2.1.2: returns a code in the query or nothing: %s', async (_, parameters, error) => {
    const left = locationOf(await begin(parameters));
    expect([left?.searchParams.get('error'), left?.hash]).toEqual([error, '']);
    expect(left?.searchParams.get('access_token')).toBeNull();
  });

  it.each<[string, Parameters, string]>([
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request URI', { request_uri: 'https://evil.example/request' }, 'request_uri_not_supported'],
    ['a pushed request', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'request_uri_not_supported'],
    ['a resource of others', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    [
      'a resource of others beside ours',
      { resource: ['BASE/mcp', 'https://evil.example'] },
      'invalid_target',
    ],
    ['a resource below ours', { resource: 'BASE/mcp/other' }, 'invalid_target'],
    ['a resource with a user name', { resource: 'EVIL/mcp' }, 'invalid_target'],
    ['a script for a scope', { scope: hostile }, 'invalid_scope'],
    ['an unknown prompt', { prompt: 'create' }, 'invalid_request'],
    ['a prompt twice', { prompt: ['login', 'none'] }, 'invalid_request'],
    ['a state twice', { state: ['a', 'b'] }, 'invalid_request'],
  ])(
    'RFC 6749 3.1, RFC 8707 2, RFC 9207 2: returns the error of %s to the client, with the issuer',
    async (...row) => {
      const [, requested, error] = row;
      const withUserName = service.baseUrl.replace('//', '//evil@');
      const parameters = Object.fromEntries(
        Object.entries(requested).map(([name, value]) => [
          name,
          [value ?? []]
            .flat()
            .map((each) => each.replace('BASE', service.baseUrl).replace('EVIL', withUserName)),
        ]),
      );
      const left = locationOf(await begin(parameters));
      expect((left?.origin ?? '') + (left?.pathname ?? '')).toBe(registered);
      expect(Object.fromEntries(left?.searchParams ?? [])).toMatchObject({ error, iss: service.baseUrl });
    },
  );

  it.each(['allow', 'deny'] as const)(
    'RFC 9207 2, RFC 9700 4.4: names the issuer in the answer to %s',
    async (decision) => {
      const { url } = service.authorizationUrl(client);
      const { left } = await service.answer(service.browser(), url, { decision });
      expect(left?.searchParams.getAll('iss')).toEqual([service.baseUrl]);
      expect(left?.searchParams.has(decision === 'allow' ? 'code' : 'error')).toBe(true);
    },
  );

  it.each([
    ['a script', hostile],
    ['line breaks', 'a\r\nSet-Cookie: a=b\r\n\r\n<html>'],
    ['a second code', 'x&code=evil&iss=https://evil.example'],
    ['a fragment', '#access_token=x'],
    ['nothing', ''],
    ['non-ASCII letters', 'é😀\u202E'],
    ['4,096 characters', 'x'.repeat(4_096)],
  ])('RFC 6749 4.1.2, 10.12: returns the state unchanged, and only as the state: %s', async (_, state) => {
    const answer = await begin({ prompt: 'none', state });
    const left = locationOf(answer);
    expect(left?.searchParams.getAll('state')).toEqual(state === '' ? [] : [state]);
    expect(left?.searchParams.getAll('code')).toEqual([]);
    expect(left?.searchParams.getAll('iss')).toEqual([service.baseUrl]);
    expect([left?.hash, answer.headers.get('set-cookie')?.includes('a=b') ?? false]).toEqual(['', false]);
  });

  it.each(['client_id', 'redirect_uri', 'state', 'scope', 'prompt', 'response_type', 'resource', 'nonce'])(
    'RFC 6749 3.1: shows a script in %s as text on every page',
    async (name) => {
      const { url } = service.authorizationUrl(client, { redirect_uri: undefined, [name]: hostile });
      const answer = await service.browser().send(url);
      const page = await service.browser().open(service.authorizationUrl(client, { [name]: hostile }).url);
      for (const html of [await answer.text(), page.html]) expect(html).not.toContain('<script');
      expect(answer.status).toBe(400);
    },
  );

  it('RFC 9700 4.2, 4.12: redirects with 303, without caching and without a referrer', async () => {
    const browser = service.browser();
    const first = await begin({}, browser);
    const page = await browser.open(first.headers.get('location') ?? '');
    const consentPage = page.html.includes('name="password"')
      ? await browser.submit(page, { email: 'ann@example.com', password })
      : page;
    const done = await browser.submit(consentPage, { organization: 'acme', decision: 'allow' });
    expect(done.left?.searchParams.has('code')).toBe(true);
    for (const { status, headers } of [first, done]) {
      expect(status).toBe(303);
      expect(headers.get('cache-control')).toContain('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('RFC 9700 4.7: binds an authorization to its browser by cookies that no script can read', async () => {
    const cookies = (await begin({})).headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; path=\/\.auth\/(interaction|authorize)\//i);
      expect(cookie).toMatch(/; samesite=lax/i);
      expect(cookie).toMatch(/; httponly/i);
    }
  });

  it.each([
    ['another browser', (url: string) => service.browser().send(url)],
    [
      'another browser with an authorization of its own',
      async (url: string) => {
        const browser = service.browser();
        await begin({}, browser);
        return browser.send(url);
      },
    ],
  ])('RFC 9700 4.5, 4.7: returns no code to %s that resumes with the redirect', async (_, visit) => {
    const browser = service.browser();
    const page = await browser.open(service.authorizationUrl(client).url);
    const consentPage = await browser.submit(page, {
      email: 'ann@example.com',
      password,
    });
    const uid = new URL(consentPage.url).pathname.split('/').at(-1) ?? '';
    const waiting = await visit(`/.auth/authorize/${uid}`);
    expect([waiting.status, waiting.headers.get('location')]).toEqual([400, null]);
    const { action, fields } = formOf(consentPage.html);
    const decided = await browser.send(action, {
      method: 'POST',
      headers: ownForm,
      body: new URLSearchParams({ ...fields, organization: 'acme', decision: 'allow' }),
    });
    expect([decided.status, decided.headers.get('location')]).toEqual([
      303,
      `${service.baseUrl}/.auth/authorize/${uid}`,
    ]);
    const stolen = await visit(`/.auth/authorize/${uid}`);
    expect([stolen.status, stolen.headers.get('location')]).toEqual([400, null]);
    const own = await browser.send(`/.auth/authorize/${uid}`);
    expect(locationOf(own)?.searchParams.has('code')).toBe(true);
  });

  it('RFC 9700 4.7: returns no code to a browser that resumes without consent', async () => {
    const browser = service.browser();
    const uid =
      locationOf(await begin({}, browser))
        ?.pathname.split('/')
        .at(-1) ?? '';
    const before = await grants();
    const answer = await browser.send(`/.auth/authorize/${uid}`);
    expect(locationOf(answer)?.searchParams.has('code') ?? false).toBe(false);
    expect(await grants()).toBe(before);
  });

  it('RFC 6749 3.1: accepts no authorization by POST', async () => {
    const url = new URL(service.authorizationUrl(client).url);
    const answer = await fetch(`${service.baseUrl}/.auth/authorize`, {
      method: 'POST',
      body: url.searchParams,
      redirect: 'manual',
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, expect.stringContaining('GET')]);
  });
});
