import { createHmac, generateKeyPairSync } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CryptoKey, decodeJwt, decodeProtectedHeader, importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { readSigningKeys } from '../../../src/features/oauth/keys/signing-keys.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { newId } from '../../../src/foundation/kernel/ids.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { testAuthSecret } from '../../support/identity/authorization-server.ts';
import { openTestOauth, type TestClient, type TestOauth } from '../../support/identity/oauth-http.ts';
import { everyRow } from '../../support/identity/organization-matrix.ts';

/** The parts of a valid token that a forger changes. `undefined` omits a claim. */
interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

const seconds = (): number => Math.floor(Date.now() / 1000);
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the resource server', () => {
  let database: TestDatabase;
  let service: TestOauth;
  let client: TestClient;
  let token: string;
  let privateJwk: JWK;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    service = await openTestOauth(database);
    client = await service.register();
    token = (await service.connect(client, { parameters: { scope: 'mcp api' } })).body.access_token;
    const sealer = createSealer(testAuthSecret, 'orgctx/oauth/v1');
    const [key] = (await readSigningKeys({ queries: database.queries, sealer })).keys;
    privateJwk = key?.privateJwk as JWK;
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });

  const header = (changed: Forgery['header'] = {}) => ({ ...decodeProtectedHeader(token), ...changed });
  const claims = (changed: Forgery['claims'] = {}) =>
    Object.fromEntries(
      Object.entries({ ...decodeJwt(token), ...changed })
        .map(
          ([name, value]) =>
            [name, typeof value === 'function' ? (value as () => unknown)() : value] as const,
        )
        .filter(([, value]) => value !== undefined),
    );
  /** Signed with the key of the service itself, so that only the change can cause the refusal. */
  const signed = async (forgery: Forgery = {}, key?: CryptoKey): Promise<string> =>
    new SignJWT(claims(forgery.claims))
      .setProtectedHeader({ alg: 'ES256', ...header(forgery.header) })
      .sign(key ?? (await importJWK(privateJwk, 'ES256')), { crit: { 'urn:x': true } });

  const places = ['/mcp', '/acme/api/v1/repositories', '/api/v1/me'] as const;
  const send = (path: string, authorization?: string, init: RequestInit = {}): Promise<Response> =>
    fetch(service.baseUrl + path, {
      method: path.startsWith('/mcp') ? 'POST' : 'GET',
      ...init,
      headers: { ...(authorization !== undefined && { authorization }), ...(init.headers as object) },
    });
  async function expectChallenge(path: string, answer: Response, error?: string): Promise<void> {
    const challenge = answer.headers.get('www-authenticate') ?? '';
    const suffix = path.startsWith('/mcp') ? '/mcp' : '';
    expect([path, answer.status, challenge]).toEqual([path, 401, expect.stringMatching(/^Bearer /)]);
    expect(challenge).toContain(
      `resource_metadata="${service.baseUrl}/.well-known/oauth-protected-resource${suffix}"`,
    );
    expect(/ error="([^"]*)"/.exec(challenge)?.[1]).toBe(error);
    await answer.body?.cancel();
  }

  it('accepts the token that the forgeries are derived from', async () => {
    for (const good of [token, await signed()]) {
      expect(await service.use(good)).toEqual({ rest: 200, mcp: 200 });
    }
  });

  it.each<[string, string, Forgery]>([
    ['RFC 9068 4, RFC 9700 4.10.2', 'no audience', { claims: { aud: undefined } }],
    ['RFC 9068 4', 'one audience of the two', { claims: { aud: (): unknown => mcp() } }],
    ['RFC 9068 4', 'one audience in a list', { claims: { aud: (): unknown => [mcp()] } }],
    ['RFC 9068 4', 'an audience of others', { claims: { aud: 'https://other.example' } }],
    [
      'RFC 9068 4',
      'an audience more',
      { claims: { aud: (): unknown => [rest(), mcp(), 'https://a.example'] } },
    ],
    ['RFC 9068 4', 'the same audience twice', { claims: { aud: (): unknown => [mcp(), mcp()] } }],
    ['RFC 9068 4', 'an audience that is no text', { claims: { aud: [1, {}] } }],
    ['RFC 8725 3.8', 'another issuer and our kid', { claims: { iss: 'https://evil.example' } }],
    ['RFC 8725 3.8', 'our issuer with a slash', { claims: { iss: (): unknown => `${rest()}/` } }],
    ['RFC 8725 3.8', 'no issuer', { claims: { iss: undefined } }],
    ['RFC 8725 3.11', 'the type of an ID token', { header: { typ: 'JWT' } }],
    ['RFC 8725 3.11', 'the type of a logout token', { header: { typ: 'logout+jwt' } }],
    ['RFC 8725 3.11', 'no type', { header: { typ: undefined } }],
    ['RFC 9068 4', 'its time over', { claims: { exp: () => seconds() - 60 } }],
    ['RFC 9068 2.2', 'no end', { claims: { exp: undefined } }],
    ['RFC 7519 4.1.4', 'an end that is text', { claims: { exp: '9999999999' } }],
    ['RFC 7519 4.1.5', 'its time to come', { claims: { nbf: () => seconds() + 600 } }],
    ['RFC 7519 4.1.6', 'no time of issue', { claims: { iat: undefined } }],
    ['RFC 7515 4.1.11', 'a critical header that nobody knows', { header: { crit: ['urn:x'], 'urn:x': 1 } }],
    ['RFC 8725 3.10', 'a kid that is a path', { header: { kid: '../../../../dev/null' } }],
    ['RFC 8725 3.10', 'a kid that is a query', { header: { kid: "x' or '1'='1" } }],
    ['RFC 8725 3.10', 'a kid that is a word of the prototype', { header: { kid: '__proto__' } }],
    ['RFC 8725 3.10', 'an unknown kid', { header: { kid: 'other' } }],
    ['RFC 8725 3.10', 'no kid', { header: { kid: undefined } }],
    ['RFC 8725 3.10', 'a key to be fetched', { header: { kid: 'x', jku: 'https://evil.example/jwks' } }],
    ['RFC 9068 2.2', 'no subject', { claims: { sub: undefined } }],
    ['RFC 9068 2.2', 'another subject than its grant', { claims: { sub: () => service.people.bob.userId } }],
    ['RFC 9068 2.2', 'a subject that is a list', { claims: { sub: ['a'] } }],
    ['RFC 9068 2.2', 'no client', { claims: { client_id: undefined } }],
    ['RFC 9068 2.2', 'another client than its grant', { claims: { client_id: 'orgctx-cli' } }],
    [
      'RFC 9068 2.2',
      'another organization than its grant',
      { claims: { org: () => service.organizations.globex } },
    ],
    ['RFC 9068 2.2', 'an unknown grant', { claims: { gid: () => newId() } }],
    ['RFC 9068 2.2', 'a scope that is a list', { claims: { scope: ['mcp', 'api'] } }],
    ['RFC 9068 2.2', 'no scope', { claims: { scope: undefined } }],
  ])('%s: accepts no token with %s', async (_section, _what, forgery) => {
    const forged = await signed(forgery);
    for (const path of places) {
      await expectChallenge(path, await send(path, `Bearer ${forged}`), 'invalid_token');
    }
  });

  const rest = (): string => service.baseUrl;
  const mcp = (): string => `${service.baseUrl}/mcp`;

  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const unsigned = (alg: string) => `${part({ ...header(), alg })}.${part(claims())}`;
  const hmac = (key: string | Buffer) =>
    `${unsigned('HS256')}.${createHmac('sha256', key).update(unsigned('HS256')).digest('base64url')}`;
  const publicJwk = (): JWK => {
    const { d: _d, ...publicParts } = privateJwk;
    return publicParts;
  };
  const forgers: Readonly<Record<string, () => string | Promise<string>>> = {
    'with alg none': () => `${unsigned('none')}.`,
    'with alg NONE': () => `${unsigned('NONE')}.`,
    'with alg none and the signature of another token': () =>
      `${unsigned('none')}.${token.split('.')[2] ?? ''}`,
    'with the public key as the secret of HS256': () => hmac(JSON.stringify(publicJwk())),
    'with a part of the public key as the secret': () =>
      hmac(Buffer.from(String(publicJwk().x), 'base64url')),
    'with an empty secret of HS256': () => hmac(''),
    'with a key of their own': async () =>
      signed({}, (await importJWK(ec.privateKey.export({ format: 'jwk' }) as JWK, 'ES256')) as CryptoKey),
    'with a key of their own in the header': async () => {
      const jwk = ec.publicKey.export({ format: 'jwk' });
      const own = await importJWK(ec.privateKey.export({ format: 'jwk' }) as JWK, 'ES256');
      return signed({ header: { jwk } }, own as CryptoKey);
    },
    'with the signature of nothing (CVE-2022-21449)': () =>
      `${token.split('.').slice(0, 2).join('.')}.${Buffer.alloc(64).toString('base64url')}`,
    'with a changed claim under the old signature': () => {
      const [head, , signature] = token.split('.');
      return `${head}.${part(claims({ scope: 'mcp api admin' }))}.${signature}`;
    },
    'with an extra part': () => `${token}.x`,
    'without a signature': () => token.split('.').slice(0, 2).join('.'),
    'of five parts': () => 'e30.e30.e30.e30.e30',
    'with a character replaced': () => token.replace(/\.(.)/, '._'),
  };

  it.each(Object.keys(forgers))('RFC 8725 3.1, 3.2, 3.9: accepts no token %s', async (how) => {
    const forged = (await forgers[how]?.()) ?? '';
    for (const path of places) {
      await expectChallenge(path, await send(path, `Bearer ${forged}`), 'invalid_token');
    }
  });

  it.each([
    'access_token=TOKEN',
    'Access_Token=TOKEN',
    'access_token[]=TOKEN',
    'access_token%5B%5D=TOKEN',
    'token=TOKEN',
    'authorization=Bearer%20TOKEN',
    'x=1&access_token=TOKEN',
    'access_token=',
  ])(
    'RFC 6750 2.3, 5.3: refuses a token in the URL, with a valid header or not, and never logs it: %s',
    async (query) => {
      for (const path of places) {
        for (const authorization of [undefined, `Bearer ${token}`]) {
          const answer = await send(`${path}?${query.replace('TOKEN', token)}`, authorization);
          expect([path, answer.status, await answer.json()]).toEqual([
            path,
            400,
            expect.objectContaining({ code: 'token_in_url' }),
          ]);
        }
      }
      expect(service.logged.join('\n')).not.toContain(token.slice(-40));
    },
  );

  it('RFC 6750 2.2: reads no token from a form', async () => {
    const body = new URLSearchParams({ access_token: token });
    for (const path of ['/mcp', '/acme/api/v1/repositories']) {
      await expectChallenge(path, await send(path, undefined, { method: 'POST', body }));
    }
  });

  it.each(['access_token', 'token', '__Host-orgctx_session', 'orgctx_session', 'authorization'])(
    'RFC 6750 2: reads no token from the cookie %s',
    async (name) => {
      for (const path of places) {
        await expectChallenge(path, await send(path, undefined, { headers: { cookie: `${name}=${token}` } }));
      }
    },
  );

  it.each(['bearer', 'BEARER', 'Bearer  '])('RFC 9110 11.1: accepts the scheme as %j', async (scheme) => {
    const { status } = await send('/acme/api/v1/repositories', `${scheme.trimEnd()} ${token}`);
    expect(status).toBe(200);
  });

  it.each([
    'TOKEN',
    'BearerTOKEN',
    'Bearer\u00a0TOKEN',
    'Bearer "TOKEN"',
    'Bearer token="TOKEN"',
    'Bearer TOKEN, Bearer TOKEN',
    'Bearer TOKEN TOKEN',
    'Basic TOKEN',
    'DPoP TOKEN',
    'Token TOKEN',
    'Bearer',
    'Bearer ',
  ])('RFC 6750 2.1: reads no token from the header %j', async (value) => {
    const authorization = value.replaceAll('TOKEN', token);
    for (const path of places) {
      const error = /^bearer(?: |$)/i.test(authorization.trim()) ? 'invalid_token' : undefined;
      await expectChallenge(path, await send(path, authorization), error);
    }
  });

  it('RFC 9110 5.3: ignores a second Authorization header of another caller', async () => {
    const { port } = service.server.server.address() as AddressInfo;
    const other = (await service.connect(client, { who: 'gil', organization: 'globex' })).body.access_token;
    for (const [first, second] of [
      [token, other],
      [other, token],
      ['x', token],
    ]) {
      const socket = connect(port, '127.0.0.1');
      socket.write(
        `GET /acme/api/v1/repositories HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
          `Authorization: Bearer ${first}\r\nAuthorization: Bearer ${second}\r\n\r\n`,
      );
      const status = /^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1];
      // Node keeps the first: a proxy that checks it and the service see the same caller.
      expect(status).toBe(first === token ? '200' : first === other ? '403' : '401');
    }
  });

  const hostile: readonly Readonly<Record<string, string>>[] = [
    { host: 'evil.example' },
    { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-port': '1' },
    { forwarded: 'for=1.1.1.1;host=evil.example;proto=https' },
    { 'x-original-url': 'https://evil.example/', 'x-rewrite-url': '/evil.example' },
    { 'x-forwarded-prefix': '/evil.example', 'x-forwarded-server': 'evil.example' },
    { host: '127.0.0.1@evil.example' },
  ];
  const published = [
    ['GET', '/.well-known/oauth-protected-resource'],
    ['GET', '/.well-known/oauth-protected-resource/mcp'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/oauth-authorization-server/mcp'],
    ['GET', '/.well-known/openid-configuration'],
    ['POST', '/mcp'],
    ['GET', '/acme/api/v1/repositories'],
    ['GET', '/api/v1/me'],
    ['GET', '/.auth/sign-in'],
    ['GET', '/.auth/account'],
    ['GET', '/.auth/device'],
    ['POST', '/.auth/device-authorization'],
    ['GET', '/.auth/authorize?AUTHORIZE'],
    ['GET', '/.auth/authorize?client_id=x'],
  ] as const;

  it.each(published.flatMap(([method, path]) => hostile.map((headers) => [method, path, headers] as const)))(
    'RFC 9728 3.3, 7, RFC 8414 3.3, RFC 9700 4.13: %s %s names only AUTH_BASE_URL for %j',
    async (method, path, headers) => {
      const { search } = new URL(service.authorizationUrl(client).url);
      const answer = await service.server.inject({
        method,
        url: path.replace('?AUTHORIZE', search),
        headers: {
          ...headers,
          ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(method === 'POST' && { payload: 'client_id=orgctx-cli' }),
      });
      expect(answer.statusCode).toBeLessThan(500);
      const { date: _date, ...otherHeaders } = answer.headers;
      expect(JSON.stringify([otherHeaders, answer.body])).not.toContain('evil');
      if (path.startsWith('/.well-known')) expect(answer.body).toContain(service.baseUrl);
    },
  );

  it.each(['https://evil.example', 'null', 'http://localhost:1', 'http://127.0.0.1', 'file://'])(
    'MCP Streamable HTTP, security warning: refuses a page of %s (DNS rebinding)',
    async (origin) => {
      for (const authorization of [undefined, `Bearer ${token}`]) {
        const answer = await send('/mcp', authorization, { headers: { origin } });
        expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
      }
    },
  );

  it('RFC 9068 4: accepts no token whose grant has ended, though the token has not expired', async () => {
    const { body } = await service.connect(client, { parameters: { scope: 'mcp api' } });
    expect(await service.use(body.access_token)).toEqual({ rest: 200, mcp: 200 });
    await database.queries
      .updateTable('oauth_grants')
      .set({ expires_at: Date.now() })
      .where('id', '=', String(decodeJwt(body.access_token)['gid']))
      .execute();
    expect(await service.use(body.access_token)).toEqual({ rest: 401, mcp: 401 });
  });

  it.each([
    ['mcp', { rest: 403, mcp: 200 }],
    ['api', { rest: 200, mcp: 403 }],
  ])('RFC 6750 3.1: limits the scope %s to its own operations', async (scope, statuses) => {
    const { body } = await service.connect(client, { parameters: { scope } });
    expect(await service.use(body.access_token)).toEqual(statuses);
    for (const path of ['/mcp', '/acme/api/v1/repositories']) {
      const answer = await send(path, `Bearer ${body.access_token}`);
      if (answer.status === 403) {
        expect(answer.headers.get('www-authenticate')).toMatch(
          /error="insufficient_scope".*scope="|scope=".*error="insufficient_scope"/,
        );
      }
      await answer.body?.cancel();
    }
  });

  it('MCP authorization, token passthrough: stores no token of a caller, so that none can be forwarded', async () => {
    const { apiKey } = await createApiKey(
      database.queries,
      { userId: service.people.ann.userId, name: 'x' },
      systemClock,
    );
    for (const bearer of [token, apiKey]) {
      for (const [path, body] of [
        ['/acme/api/v1/repositories', { source: 'https://git.example/a.git' }],
        ['/acme/api/v1/context', { prompt: 'What does it do?' }],
        ['/acme/api/v1/connections', { kind: 'tracker' }],
      ] as const) {
        const answer = await send(path, `Bearer ${bearer}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect([path, answer.status]).toEqual([path, expect.toSatisfy((status: number) => status < 500)]);
      }
      const kept = JSON.stringify([await everyRow(database), service.logged]);
      for (const piece of [bearer, bearer.slice(-40)]) expect(kept).not.toContain(piece);
    }
  });
});
