import { type AddressInfo, createServer } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import {
  asks,
  loopback,
  openRegistrationServer,
  publicClient,
  type RegistrationServer,
  seen,
} from '../../support/identity/registering.ts';

/** Tests what anyone on the Internet may send to the registration endpoint. */
describe('the registration endpoint', () => {
  let database: TestDatabase;
  let server: RegistrationServer;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
    onTestFinished(() => database.close());
    server = await openRegistrationServer(database);
  });

  it('RFC 7591 3.2.1: answers 201, uncached, without a way to manage the client', async () => {
    const { status, headers, json } = await server.register({ redirect_uris: loopback });
    expect({ status, cache: headers.get('cache-control') }).toEqual({ status: 201, cache: 'no-store' });
    expect(json).toMatchObject({ redirect_uris: loopback, client_secret_expires_at: 0 });
    expect(Object.keys(json).join(' ')).not.toMatch(/registration_/);
  });

  it('RFC 7592 2: reads, changes and deletes no client', async () => {
    const { json } = await server.register(publicClient);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await server.call(`/.auth/register/${String(json['client_id'])}`, { method })).status).toBe(
        404,
      );
    }
    expect((await server.call('/.auth/register')).status).toBeGreaterThanOrEqual(400);
  });

  it.each([
    ['a form', 'redirect_uris=http://127.0.0.1/cb', 'application/x-www-form-urlencoded', 400],
    ['JSON under another name', JSON.stringify(publicClient), 'text/plain', 400],
    ['JSON with a second name', JSON.stringify(publicClient), 'application/json, text/plain', 415],
    ['invalid JSON', '{', 'application/json', 400],
    ['nothing', '', 'application/json', 400],
    ['a list', '[]', 'application/json', 400],
    ['a text', '"x"', 'application/json', 400],
    ['null', 'null', 'application/json', 400],
    ['invalid UTF-8', '{"redirect_uris":["\u{D800}"]}', 'application/json', 400],
    ['a deeply nested list', '['.repeat(30_000), 'application/json', 400],
    [
      'more than 64 KiB',
      JSON.stringify({ ...publicClient, padding: 'x'.repeat(65_536) }),
      'application/json',
      413,
    ],
    ['far more than 64 KiB', 'x'.repeat(5_000_000), 'application/json', 413],
  ])('RFC 7591 3.2.2: refuses %s as an OAuth error', async (_what, body, type, status) => {
    const answer = await server.register(body, { type });
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ error: expect.any(String), error_description: expect.any(String) });
  });

  it.each([
    'http://evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://localhost.evil.example/cb',
    'http://192.168.0.1/cb',
    'http://2130706433/cb',
    'javascript:alert(document.cookie)',
    'JAVASCRIPT://127.0.0.1/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'file:///etc/passwd',
    'vbscript:/x',
    'blob:https://ctx.example/1',
    'about:blank',
    'view-source:https://ctx.example/',
    'chrome://settings/',
    'ftp://evil.example/cb',
    'ldap://evil.example/cb',
    'wss://evil.example/cb',
    'ms-msdt:/id',
    'intent://x/#Intent;end',
    'https://*.example.com/cb',
    'https://good.example@evil.example/cb',
    'https://evil.example/cb#fragment',
    'https://evil.example/cb\r\nset-cookie: a=b',
    'https://a;sandbox/cb',
    '//evil.example/cb',
    '/cb',
    '',
  ])('RFC 9700 4.1, RFC 8252 8.4: refuses the redirect URI %j', async (uri) => {
    const { status, json } = await server.register({ ...publicClient, redirect_uris: [...loopback, uri] });
    expect({ status, error: json['error'] }).toEqual({ status: 400, error: 'invalid_redirect_uri' });
  });

  it('RFC 7591 5: refuses 1,000 redirect URIs', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `https://a.example/${n}`);
    const { status, json } = await server.register({ ...publicClient, redirect_uris: many });
    expect({ status, error: json['error'] }).toEqual({ status: 400, error: 'invalid_redirect_uri' });
  });

  it.each([
    ['client_credentials', { grant_types: ['client_credentials'] }],
    ['implicit', { grant_types: ['authorization_code', 'implicit'], response_types: ['code', 'token'] }],
    ['password', { grant_types: ['password', 'refresh_token'] }],
    ['a JWT for a grant', { grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'] }],
    [
      'token exchange',
      { grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'] },
    ],
    ['tokens from the authorization endpoint', { response_types: ['token'] }],
    ['id tokens from the authorization endpoint', { response_types: ['code id_token'] }],
    [
      'a key of its own',
      { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://a.example/jwks' },
    ],
    ['a secret that signs', { token_endpoint_auth_method: 'client_secret_jwt' }],
    ['a certificate', { token_endpoint_auth_method: 'self_signed_tls_client_auth' }],
  ])('RFC 7591 5, RFC 9700 2.1.2: refuses a client with %s', async (_what, changes) => {
    const { status, json } = await server.register({ ...publicClient, ...changes });
    expect({ status, error: json['error'] }).toEqual({ status: 400, error: 'invalid_client_metadata' });
  });

  it('RFC 7591 5: fetches no URL of a registration', async () => {
    let connections = 0;
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void listener.close());
    const inside = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
    const uris = [
      'jwks_uri',
      'sector_identifier_uri',
      'logo_uri',
      'policy_uri',
      'tos_uri',
      'initiate_login_uri',
    ];
    const named = Object.fromEntries(uris.map((field) => [field, inside]));
    const { status, json } = await server.register({ ...publicClient, ...named });
    expect({ status, kept: uris.filter((field) => field in json), connections }).toEqual({
      status: 201,
      kept: [],
      connections: 0,
    });
    const parameters = { client_id: String(json['client_id']), redirect_uri: loopback[0] ?? '' };
    expect(seen(await server.authorize(parameters))).toEqual(asks);
    expect(connections).toBe(0);
  });

  it('RFC 7591 2.3, 3.1.1: does not trust a software statement', async () => {
    const claims = btoa(
      JSON.stringify({ redirect_uris: ['https://evil.example/cb'], client_name: 'Claude' }),
    );
    const { json } = await server.register({
      ...publicClient,
      software_statement: `${btoa('{"alg":"none"}')}.${claims}.`,
    });
    expect(json).toMatchObject({ redirect_uris: loopback });
    expect(json).not.toHaveProperty('client_name');
  });

  it.each(['orgctx-cli', 'https://claude.ai/oauth/client.json', '', 7])(
    'RFC 7591 2: assigns the id itself, whatever is requested: %j',
    async (client_id) => {
      const { status, json } = await server.register({ ...publicClient, client_id, client_secret: 'chosen' });
      expect(status).toBe(201);
      expect(json['client_id']).toMatch(/^[\w-]{21,}$/);
      expect(json['client_id']).not.toBe(client_id);
      expect(json).not.toHaveProperty('client_secret');
    },
  );

  it('RFC 8252 8.6: removes invisible characters from a name that imitates another', async () => {
    const { json } = await server.register({
      ...publicClient,
      client_name: 'C\u200Blau\u202Ede\n(verified)\u0000',
    });
    expect(json['client_name']).toBe('Claude (verified)');
  });

  it('RFC 7591 3.2.1: limits the length of a name on the page', async () => {
    const { json } = await server.register({ ...publicClient, client_name: `<b>${'x'.repeat(10_000)}` });
    expect(String(json['client_name'])).toHaveLength(80);
  });

  it('RFC 6819 5.1.4: stores neither id nor secret in plain text', async () => {
    const { json } = await server.register({ redirect_uris: loopback });
    const rows = JSON.stringify(await database.queries.selectFrom('oauth_objects').selectAll().execute());
    for (const field of ['client_id', 'client_secret']) expect(rows).not.toContain(String(json[field]));
    expect(rows).not.toContain(loopback[0]);
  });

  describe('RFC 8252 7.3', () => {
    const registered = ['http://127.0.0.1:33418/cb', 'https://vscode.dev/redirect'];
    const ask = async (redirect_uri: string, redirect_uris = registered) => {
      const { json } = await server.register({ ...publicClient, redirect_uris, application_type: 'web' });
      return server.authorize({ client_id: String(json['client_id']), redirect_uri });
    };

    it.each([
      'http://127.0.0.1:33418/cb',
      'http://127.0.0.1:51004/cb',
      'http://127.0.0.1/cb',
      'https://vscode.dev/redirect',
    ])('accepts the redirect URI %s, whatever application type is declared', async (uri) => {
      expect(seen(await ask(uri))).toEqual(asks);
    });

    it('accepts a private-use scheme of an app', async () => {
      const uri = 'cursor://anysphere.cursor-retrieval/oauth/callback';
      expect(seen(await ask(uri, [uri]))).toEqual(asks);
    });

    it.each([
      'http://localhost:33418/cb',
      'http://[::1]:33418/cb',
      'http://127.0.0.1:33418/other',
      'http://127.0.0.1:33418/cb/',
      'http://127.0.0.1:33418/cb?x=1',
      'http://127.0.0.1:33418@evil.example/cb',
      'http://127.0.0.1.evil.example:33418/cb',
      'https://127.0.0.1:33418/cb',
      'https://vscode.dev:8443/redirect',
      'https://vscode.dev/redirect/',
      'https://VSCODE.dev/redirect',
      'https://vscode.dev/redirect%2f',
    ])('refuses %s, and does not redirect there', async (uri) => {
      const answer = await ask(uri);
      expect(seen(answer)).toEqual({ status: 400, location: null });
      expect(answer.text).toContain('has not registered');
    });
  });
});
