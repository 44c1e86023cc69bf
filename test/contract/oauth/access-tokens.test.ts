import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { type CryptoKey, importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import type { AuthorizationServer } from '../../../src/features/oauth/authorization-server.ts';
import { insertGrant } from '../../../src/features/oauth/grants/grant-store.ts';
import { readSigningKeys } from '../../../src/features/oauth/keys/signing-keys.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { type GrantId, newId, type OrganizationId, type UserId } from '../../../src/foundation/kernel/ids.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { openTestAuthorizationServer, testAuthSecret } from '../../support/identity/authorization-server.ts';

const baseUrl = 'https://ctx.example';
const both = [baseUrl, `${baseUrl}/mcp`];

/** The parts of a valid token that a forger may change. */
interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

describeEachDatabase('an access token', (open) => {
  let database: TestDatabase;
  let oauth: AuthorizationServer;
  let kid: string;
  let privateJwk: JWK;
  let userId: UserId;
  let organizationId: OrganizationId;
  const grantId = newId<GrantId>();

  beforeAll(async () => {
    database = await open();
    oauth = await openTestAuthorizationServer(database, { baseUrl });
    const sealer = createSealer(testAuthSecret, 'orgctx/oauth/v1');
    const [key] = (await readSigningKeys({ queries: database.queries, sealer })).keys;
    if (key === undefined) throw new Error('the server made no key');
    [kid, privateJwk] = [key.id, key.privateJwk];
    const person = { email: 'ann@example.com', orgSlug: 'acme', role: 'owner' } as const;
    const { user, organization } = await admitUser({ database, clock: systemClock }, person);
    [userId, organizationId] = [user.id, organization.id];
    await insertGrant(database.queries, {
      id: grantId,
      user_id: userId,
      organization_id: organizationId,
      client_id: 'client',
      client_name: 'Client',
      scopes: 'mcp api',
      last_used_at: null,
      expires_at: Date.now() + 3_600_000,
      revoked_at: null,
      created_at: Date.now(),
    });
  });
  afterAll(() => oauth.close());

  const claimsOf = (changed: Forgery['claims'] = {}): Record<string, unknown> => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: baseUrl,
      aud: both,
      sub: userId,
      org: organizationId,
      gid: grantId,
      client_id: 'client',
      scope: 'mcp api offline_access',
      iat: now,
      exp: now + 600,
      jti: 'x',
      ...changed,
    };
    return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  };
  const signed = async ({ header, claims }: Forgery = {}, key?: CryptoKey): Promise<string> =>
    new SignJWT(claimsOf(claims))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
      .sign(key ?? (await importJWK(privateJwk, 'ES256')), { crit: { 'urn:x': true } });
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('identifies its caller, organization and scopes', async () => {
    expect(await oauth.verifyAccessToken(await signed())).toEqual({
      principal: {
        userId,
        email: 'ann@example.com',
        credential: { kind: 'oauth', grantId, organizationId, firstParty: false },
        scopes: new Set(['mcp', 'api']),
      },
      membership: { scope: { organizationId, orgSlug: 'acme' }, role: 'owner' },
    });
  });

  it('identifies our own command line', async () => {
    const row = { client_id: 'orgctx-cli', client_name: 'orgctx', scopes: 'api' };
    const known = await database.queries
      .selectFrom('oauth_grants')
      .selectAll()
      .where('id', '=', grantId)
      .executeTakeFirstOrThrow();
    const gid = newId<GrantId>();
    await insertGrant(database.queries, { ...known, ...row, id: gid });
    const firstParty = async (claims: Record<string, unknown>) =>
      (await oauth.verifyAccessToken(await signed({ claims })))?.principal.credential;
    expect(await firstParty({ gid, client_id: 'orgctx-cli' })).toMatchObject({ firstParty: true });
    expect(await firstParty({ client_id: 'orgctx-cli' })).toBeUndefined();
  });

  it.each<[string, Forgery]>([
    ['no audience (RFC 9068 section 4)', { claims: { aud: undefined } }],
    ['one audience of the two', { claims: { aud: `${baseUrl}/mcp` } }],
    ['one audience in a list', { claims: { aud: [baseUrl] } }],
    ['the audience of another service', { claims: { aud: ['https://other.example', ...both] } }],
    ['another issuer with our kid (RFC 8725 section 3.8)', { claims: { iss: 'https://evil.example' } }],
    ['no issuer', { claims: { iss: undefined } }],
    ['the type of an id_token (RFC 8725 section 3.11)', { header: { typ: 'JWT' } }],
    ['no type', { header: { typ: undefined } }],
    ['its time over', { claims: { exp: 1 } }],
    ['no end', { claims: { exp: undefined } }],
    ['its time to come', { claims: { nbf: Math.floor(Date.now() / 1000) + 3600 } }],
    [
      'a critical header that nobody knows (RFC 7515 section 4.1.11)',
      { header: { crit: ['urn:x'], 'urn:x': 1 } },
    ],
    ['a kid that is a path', { header: { kid: '../../../dev/null' } }],
    ['a kid that is a query', { header: { kid: "' or 1=1 --" } }],
    ['no kid', { header: { kid: undefined } }],
    ['another user', { claims: { sub: newId<UserId>() } }],
    ['another client', { claims: { client_id: 'other' } }],
    ['another organization than its grant', { claims: { org: newId<OrganizationId>() } }],
    ['an unknown grant', { claims: { gid: newId<GrantId>() } }],
    ['no scope', { claims: { scope: undefined } }],
    ['a scope that is a list', { claims: { scope: ['mcp'] } }],
  ])('with %s is invalid', async (_what, forgery) => {
    expect(await oauth.verifyAccessToken(await signed(forgery))).toBeUndefined();
  });

  it('without a signature, or with that of another key, is invalid (RFC 8725 section 3.1)', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const theirs = (await importJWK(privateKey.export({ format: 'jwk' }) as JWK, 'ES256')) as CryptoKey;
    const claims = part(claimsOf());
    const none = part({ alg: 'none', typ: 'at+jwt', kid });
    const hmac = part({ alg: 'HS256', typ: 'at+jwt', kid });
    const { d: _d, ...publicJwk } = privateJwk;
    const jwks = (key: string | Buffer) =>
      createHmac('sha256', key).update(`${hmac}.${claims}`).digest('base64url');
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const other = `${part({ alg: 'RS256', typ: 'at+jwt', kid })}.${claims}`;
    const embedded = { header: { jwk: privateKey.export({ format: 'jwk' }) } };
    const forged = [
      await signed({}, theirs),
      await signed(embedded, theirs),
      `${none}.${claims}.`,
      `${none}.${claims}.${Buffer.alloc(64).toString('base64url')}`,
      `${hmac}.${claims}.${jwks(JSON.stringify(publicJwk))}`,
      `${hmac}.${claims}.${jwks(Buffer.from(String(publicJwk.x), 'base64url'))}`,
      `${other}.${signBytes('sha256', Buffer.from(other), rsa.privateKey).toString('base64url')}`,
      `${(await signed()).slice(0, -4)}AAAA`,
      `${await signed()}.x`,
    ];
    for (const token of forged)
      expect([token, await oauth.verifyAccessToken(token)]).toEqual([token, undefined]);
  });

  it.each(['', '.', '..', 'a.b.c', 'ock_x', '=', '\0', 'é.é.é', `${'x'.repeat(8000)}.x.x`])(
    'is not any string that resembles one (%#)',
    async (text) => {
      expect(await oauth.verifyAccessToken(text)).toBeUndefined();
    },
  );

  it('of ours without a grant is unbound, not unknown', async () => {
    const caller = await oauth.verifyAccessToken(
      await signed({ claims: { gid: undefined, org: undefined } }),
    );
    expect(caller?.principal.credential).toEqual({
      kind: 'oauth',
      grantId: '',
      organizationId: undefined,
      firstParty: false,
    });
    const unknownUser = { gid: undefined, org: undefined, sub: newId<UserId>() };
    expect(await oauth.verifyAccessToken(await signed({ claims: unknownUser }))).toBeUndefined();
  });

  it('records the last use of its grant once a minute', async () => {
    const lastUse = async (): Promise<number | null> => {
      const query = database.queries
        .selectFrom('oauth_grants')
        .select('last_used_at')
        .where('id', '=', grantId);
      return (await query.executeTakeFirstOrThrow()).last_used_at;
    };
    await database.queries
      .updateTable('oauth_grants')
      .set({ last_used_at: Date.now() - 59_000 })
      .execute();
    const recent = await lastUse();
    await oauth.verifyAccessToken(await signed());
    expect(await lastUse()).toBe(recent);
    await database.queries
      .updateTable('oauth_grants')
      .set({ last_used_at: Date.now() - 60_000 })
      .execute();
    const stale = await lastUse();
    await oauth.verifyAccessToken(await signed());
    await expect.poll(lastUse).toBeGreaterThan(Number(stale));
  });

  it('causes an error, not an invalid token, while the database is down', async () => {
    const away = await open();
    const server = await openTestAuthorizationServer(away, { baseUrl });
    const sealer = createSealer(testAuthSecret, 'orgctx/oauth/v1');
    const [key] = (await readSigningKeys({ queries: away.queries, sealer })).keys;
    const token = await new SignJWT(claimsOf())
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key?.id ?? '' })
      .sign(await importJWK(key?.privateJwk ?? {}, 'ES256'));
    await away.close();
    await expect(server.verifyAccessToken(token)).rejects.toThrow();
    await server.close();
  });
});
