import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { removeMembership } from '../../../src/features/identity/people/membership-store.ts';
import { disableUser, enableUser } from '../../../src/features/identity/people/user-store.ts';
import { deviceGrant } from '../../../src/features/oauth/supported.ts';
import type { Clock } from '../../../src/foundation/kernel/clock.ts';
import { describeEachDatabase, itWhen, type TestDatabase } from '../../support/database/databases.ts';
import {
  type Code,
  openTestOauth,
  type TestClient,
  type TestOauth,
} from '../../support/identity/oauth-http.ts';

describeEachDatabase('the token endpoint', (open, dialect) => {
  let ahead = 0;
  const clock: Clock = () => Date.now() + ahead;
  let database: TestDatabase;
  let service: TestOauth;
  /** A public client, like most; another public client; and one with a secret. */
  let client: TestClient;
  let other: TestClient;
  let byForm: TestClient;
  /** A browser signed in as Ann. */
  let browser: ReturnType<TestOauth['browser']>;

  beforeAll(async () => {
    database = await open();
    service = await openTestOauth(database, { clock });
    client = await service.register();
    other = await service.register();
    byForm = await service.register({ token_endpoint_auth_method: 'client_secret_post' });
    browser = service.browser();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    ahead = 0;
  });

  const codeFor = (of: TestClient = client): Promise<Code> => service.codeFor(of, { browser });
  const connect = (of: TestClient = client) => service.connect(of, { browser });
  const send = (form: BodyInit, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${service.baseUrl}/.auth/token`, { method: 'POST', headers, body: form });
  const formFor = (code: Code, more: Readonly<Record<string, string>> = {}): URLSearchParams =>
    new URLSearchParams({
      grant_type: 'authorization_code',
      code: code.code,
      code_verifier: code.verifier,
      redirect_uri: client.redirectUri,
      ...more,
    });
  /** Counts the statements in this database that wait for a row lock. */
  const waitingForLocks = async (): Promise<number> => {
    const { options } = database;
    if (options.dialect !== 'postgres') return 0;
    const watcher = new pg.Client({ connectionString: options.url });
    await watcher.connect();
    const { rows } = await watcher.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    await watcher.end();
    return rows[0]?.waiting ?? 0;
  };
  const refused = (error: string) => ({ status: 400, body: expect.objectContaining({ error }) });
  const invalidGrant = refused('invalid_grant');
  const works = async (accessToken: string) => (await service.use(accessToken)).mcp === 200;

  describe('for a code', () => {
    it('RFC 6749 4.1.2: revokes its tokens when the code is used again', async () => {
      const code = await codeFor();
      const { body } = await service.redeem(client, code);
      expect(await works(body.access_token)).toBe(true);
      expect(await service.redeem(client, code)).toMatchObject(invalidGrant);
      expect(await works(body.access_token)).toBe(false);
      expect(await service.refresh(client, body.refresh_token)).toMatchObject(invalidGrant);
    });

    it('RFC 6749 4.1.2, RFC 9700 4.5: issues tokens to one of eight concurrent requests', async () => {
      for (let round = 0; round < 5; round += 1) {
        const code = await codeFor();
        const answers = await Promise.all(Array.from({ length: 8 }, () => service.redeem(client, code)));
        const given = answers.filter(({ status }) => status === 200);
        expect(given).toHaveLength(1);
        const errors = answers.filter(({ status }) => status !== 200).map(({ body }) => body.error);
        expect(errors).toEqual(Array(7).fill('invalid_grant'));
      }
    });

    itWhen(dialect === 'postgres')(
      'RFC 6749 4.1.2: issues tokens to one of three requests that all read the code as unused',
      async () => {
        const code = await codeFor();
        const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const holding = service.database.transaction(async (tx) => {
          await tx.selectFrom('oauth_objects').select('key').forUpdate().execute();
          held.resolve();
          await free.promise;
        });
        await held.promise;
        const asking = Array.from({ length: 3 }, () => service.redeem(client, code));
        await expect.poll(waitingForLocks).toBe(3);
        free.resolve();
        await holding;
        const statuses = (await Promise.all(asking)).map(({ status }) => status);
        expect(statuses.toSorted((one, two) => one - two)).toEqual([200, 400, 400]);
      },
    );

    it('RFC 6749 4.1.2: accepts it for a minute', async () => {
      const code = await codeFor();
      ahead = 61_000;
      expect(await service.redeem(client, code)).toMatchObject(invalidGrant);
    });

    it('RFC 9700 4.5: issues nothing for the code of one session with the verifier of another', async () => {
      const [victims, attackers] = [await codeFor(), await codeFor()];
      const injected = { ...attackers, code: victims.code };
      expect(await service.redeem(client, injected)).toMatchObject(invalidGrant);
    });

    it.each([
      ['a public client', () => other],
      ['a confidential client', () => byForm],
    ])('RFC 9700 4.5, RFC 6749 4.1.3: issues nothing to %s for the code of another', async (_, thief) => {
      const code = await codeFor();
      expect(await service.redeem(thief(), code)).toMatchObject(invalidGrant);
      expect((await service.redeem(client, code)).status).toBe(200);
    });

    it.each([
      ['on another path', 'http://127.0.0.1:33418/other', 'invalid_grant'],
      ['on another port', 'http://127.0.0.1:1/callback', 'invalid_grant'],
      ['with a trailing slash', 'http://127.0.0.1:33418/callback/', 'invalid_grant'],
      ['that is empty', '', 'invalid_request'],
    ])('RFC 6749 4.1.3: issues nothing with a redirect URI %s', async (_, redirectUri, error) => {
      const code = await codeFor();
      expect(await service.redeem({ ...client, redirectUri }, code)).toMatchObject(refused(error));
    });

    it.each<[string, (code: Code) => string]>([
      ['another', () => randomBytes(32).toString('base64url')],
      ['the challenge itself', ({ verifier }) => createHash('sha256').update(verifier).digest('base64url')],
      ['one in lower case', ({ verifier }) => verifier.toLowerCase()],
      ['one character less', ({ verifier }) => verifier.slice(0, -1)],
      ['one character more', ({ verifier }) => `${verifier}A`],
      ['129 characters', () => 'a'.repeat(129)],
      ['letters that no verifier has', ({ verifier }) => `${verifier.slice(0, -1)}é`],
      ['nothing', () => ''],
    ])('RFC 7636 4.6: issues nothing for %s as the verifier', async (_, verifier) => {
      const code = await codeFor();
      const { status, body } = await service.redeem(client, { ...code, verifier: verifier(code) });
      expect(status).toBe(400);
      expect(body.error).toMatch(/^invalid_(grant|request)$/);
      expect(body.access_token).toBeUndefined();
    });

    it('RFC 7636 4.6, RFC 9700 4.8: issues nothing without a verifier (downgrade)', async () => {
      const code = await codeFor();
      const form = formFor(code, { client_id: client.client_id });
      form.delete('code_verifier');
      expect((await send(form)).status).toBe(400);
    });

    it('RFC 8707 2.2: issues nothing for a resource that was not requested', async () => {
      const parameters = { resource: `${service.baseUrl}/mcp` };
      const code = await service.codeFor(client, { browser, parameters });
      const form = formFor(code, { client_id: client.client_id, resource: 'https://evil.example' });
      expect(await (await send(form)).json()).toMatchObject({ error: 'invalid_target' });
    });
  });

  describe('for a refresh token', () => {
    it('RFC 9700 4.14.2: revokes the family of one that was used longer ago than the grace period', async () => {
      const { body: first } = await connect();
      const { body: second } = await service.refresh(client, first.refresh_token);
      ahead = 60_000;
      expect(await service.refresh(client, first.refresh_token)).toMatchObject(invalidGrant);
      expect(await service.refresh(client, second.refresh_token)).toMatchObject(invalidGrant);
      expect(await works(second.access_token)).toBe(false);
    });

    it('RFC 9700 4.14.2: keeps eight concurrent refreshes of one client signed in', async () => {
      const { body } = await connect();
      const all = Array.from({ length: 8 }, () => service.refresh(client, body.refresh_token));
      const answers = await Promise.all(all);
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    });

    it.each([
      ['a public client', () => other],
      ['a confidential client', () => byForm],
      ['the client of the command line', () => ({ client_id: 'orgctx-cli', redirectUri: '' })],
    ])('RFC 9700 4.14.2, RFC 6749 6: revokes the grant when %s sends that of another', async (_, thief) => {
      const { body } = await connect();
      expect(await service.refresh(thief(), body.refresh_token)).toMatchObject(invalidGrant);
      expect(await works(body.access_token)).toBe(false);
      expect(await service.refresh(client, body.refresh_token)).toMatchObject(invalidGrant);
    });

    it('RFC 9700 4.14.2: revokes nothing for a caller that names another client without its secret', async () => {
      const { body } = await connect();
      const impostor = { ...byForm, client_secret: 'guessed' };
      expect((await service.refresh(impostor, body.refresh_token)).body.error).toBe('invalid_client');
      expect(await works(body.access_token)).toBe(true);
    });

    it.each([
      ['RFC 6749 6', 'an additional scope', { scope: 'mcp api' }, 'invalid_scope'],
      ['RFC 6749 6', 'another scope', { scope: 'api' }, 'invalid_scope'],
      ['RFC 8707 2.2', 'the other resource', { resource: 'BASE' }, 'invalid_target'],
      ['RFC 8707 2.2', 'a foreign resource', { resource: 'https://evil.example' }, 'invalid_target'],
    ])('%s: issues no more than was allowed: %s', async (_section, _what, more, error) => {
      const parameters = { scope: 'mcp', resource: `${service.baseUrl}/mcp` };
      const { body } = await service.connect(client, { browser, parameters });
      const refreshParameters = Object.fromEntries(
        Object.entries(more).map(([name, value]) => [name, value.replace('BASE', service.baseUrl)]),
      );
      expect(await service.refresh(client, body.refresh_token, refreshParameters)).toMatchObject(
        refused(error),
      );
      expect((await service.refresh(client, body.refresh_token)).body['scope']).toBe('mcp');
    });

    const queries = () => service.database.queries;
    const globex = () => ({
      userId: service.people.bob.userId,
      organizationId: service.organizations.globex,
    });
    /** Ways to end a connection of Bob to globex, each with a function that restores him. */
    const endings: Readonly<Record<string, readonly [() => Promise<unknown>, () => Promise<unknown>]>> = {
      'the membership is gone': [
        () => service.database.transaction((tx) => removeMembership(tx, globex())),
        () =>
          queries()
            .insertInto('memberships')
            .values({
              user_id: globex().userId,
              organization_id: globex().organizationId,
              role: 'member',
              created_at: Date.now(),
            })
            .execute(),
      ],
      'the user is disabled': [
        () => disableUser(queries(), globex().userId, Date.now()),
        () => enableUser(queries(), globex().userId),
      ],
      'the grant is revoked': [
        () => queries().updateTable('oauth_grants').set({ revoked_at: Date.now() }).execute(),
        async () => undefined,
      ],
      'the grant has expired': [
        async () => {
          const expires_at = Date.now() + 30_000;
          await queries().updateTable('oauth_grants').set({ expires_at }).execute();
          ahead = 31_000;
        },
        async () => undefined,
      ],
      'the organization is deleted': [
        () => queries().updateTable('oauth_grants').set({ organization_id: null }).execute(),
        async () => undefined,
      ],
    };

    it.each(Object.keys(endings))('RFC 9700 4.14: issues nothing once %s', async (what) => {
      const [end, restore] = endings[what] ?? [];
      const choice = { who: 'bob', organization: 'globex' } as const;
      const code = await service.codeFor(client, choice);
      const { body } = await service.connect(client, choice);
      await end?.();
      const redeemed = await service.redeem(client, code);
      const refreshed = await service.refresh(client, body.refresh_token);
      await restore?.();
      expect([redeemed, refreshed]).toEqual([
        expect.objectContaining(invalidGrant),
        expect.objectContaining(invalidGrant),
      ]);
    });

    it('RFC 9700 4.14: issues nothing once the client is unknown', async () => {
      const gone = await service.register();
      const { body } = await connect(gone);
      await service.database.queries
        .deleteFrom('oauth_objects')
        .where('model', '=', 'Client')
        .where('key', 'not in', (all) =>
          all
            .selectFrom('oauth_objects')
            .select('key')
            .where('model', '=', 'Client')
            .orderBy('created_at')
            .limit(3),
        )
        .execute();
      const answer = await service.refresh(gone, body.refresh_token);
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    });
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])('RFC 6749 3.2: accepts no %s', async (method) => {
    const { status } = await fetch(`${service.baseUrl}/.auth/token?grant_type=refresh_token`, { method });
    expect(status).toBe(405);
  });

  it('RFC 6749 3.2: reads nothing from the URL', async () => {
    const query = formFor(await codeFor(), { client_id: client.client_id });
    const url = `${service.baseUrl}/.auth/token?${query.toString()}`;
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams() });
    expect(answer.status).toBe(400);
  });

  it('RFC 6749 3.2: reads no JSON', async () => {
    const form = formFor(await codeFor(), { client_id: client.client_id });
    const body = JSON.stringify(Object.fromEntries(form));
    expect((await send(body, { 'content-type': 'application/json' })).status).toBe(400);
  });

  it('RFC 6749 5.1: forbids caching of every answer, successful or not', async () => {
    const good = await service.redeem(client, await codeFor());
    const bad = await service.refresh(client, 'unknown');
    expect([good.status, bad.status]).toEqual([200, 400]);
    for (const { headers } of [good, bad]) expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    'password',
    'client_credentials',
    'implicit',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:ietf:params:oauth:grant-type:saml2-bearer',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:openid:params:grant-type:ciba',
    '__proto__',
    'constructor',
    'AUTHORIZATION_CODE',
    '',
  ])('RFC 9700 2.4, RFC 6749 5.2: refuses the grant type %j', async (grant_type) => {
    const form = { grant_type, username: 'ann@example.com', password: 'x', assertion: 'e30.e30.' };
    const { status, body } = await service.token(client, form);
    expect(status).toBe(400);
    expect(body.error).toMatch(/^(unsupported_grant_type|invalid_request|unauthorized_client)$/);
  });

  it.each([
    ['a code as a refresh token', 'code', 'refresh'],
    ['a code as a device code', 'code', 'device'],
    ['a refresh token as a code', 'refresh_token', 'code'],
    ['a refresh token as a device code', 'refresh_token', 'device'],
    ['an access token as a refresh token', 'access_token', 'refresh'],
    ['an access token as a code', 'access_token', 'code'],
    ['an API key as a refresh token', 'api_key', 'refresh'],
    ['an API key as a code', 'api_key', 'code'],
    ['the id of a grant as a refresh token', 'grant_id', 'refresh'],
    ['a key of a row as a code', 'row', 'code'],
  ])('RFC 9700 4.10: accepts no credential in place of another: %s', async (_, what, place) => {
    const [code, { body }] = [await codeFor(), await connect()];
    const { queries } = service.database;
    const row = await queries.selectFrom('oauth_objects').select('key').executeTakeFirstOrThrow();
    const grant = await queries.selectFrom('oauth_grants').select('id').executeTakeFirstOrThrow();
    const { apiKey } = await createApiKey(queries, { userId: service.people.ann.userId, name: 'x' }, clock);
    const credentials: Readonly<Record<string, string>> = {
      code: code.code,
      refresh_token: body.refresh_token,
      access_token: body.access_token,
      api_key: apiKey,
      grant_id: grant.id,
      row: row.key,
    };
    const credential = String(credentials[what]);
    const forms = {
      refresh: { grant_type: 'refresh_token', refresh_token: credential },
      device: { grant_type: deviceGrant, device_code: credential },
      code: Object.fromEntries(formFor({ ...code, code: credential })),
    };
    expect(await service.token(client, forms[place as keyof typeof forms])).toMatchObject(invalidGrant);
  });

  it('RFC 6750 2: gives no access with a code, a refresh token or a client secret', async () => {
    const { body } = await connect();
    for (const token of [(await codeFor()).code, body.refresh_token, String(byForm.client_secret)]) {
      expect(await service.use(token)).toEqual({ rest: 401, mcp: 401 });
    }
  });
});
