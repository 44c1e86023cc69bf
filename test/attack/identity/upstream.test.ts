import type { KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  disableUser,
  ensureUser,
  setPasswordHash,
} from '../../../src/features/identity/people/user-store.ts';
import { findSession } from '../../../src/features/identity/sign-in/session-store.ts';
import { admitIdentity } from '../../../src/features/identity/upstream/admit-identity.ts';
import {
  beginUpstream,
  type UpstreamDeps,
  type UpstreamStart,
} from '../../../src/features/identity/upstream/begin-upstream.ts';
import {
  finishUpstream,
  type UpstreamSignedIn,
} from '../../../src/features/identity/upstream/finish-upstream.ts';
import { upstreamProvider } from '../../../src/features/identity/upstream/upstream-provider.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { newId } from '../../../src/foundation/kernel/ids.ts';
import type { HttpClient } from '../../../src/foundation/net/http.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import {
  type Misbehaviour,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../standins/openid-provider.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';

const baseUrl = 'http://127.0.0.1:3000';
const callback = `${baseUrl}/.auth/upstream/callback`;
const minute = 60_000;

const refused = expect.objectContaining({ status: 403, code: 'forbidden' });
const badRequest = expect.objectContaining({ status: 400, code: 'validation_failed' });
const unreliable = expect.objectContaining({ status: 503, code: 'upstream_unavailable' });

describeEachDatabase('sign-in at an identity provider', (open, dialect) => {
  let database: Database;
  let standin: OpenIdProvider;
  let http: HttpClient;
  let now: number;

  beforeEach(async () => {
    database = await open();
    standin = await startOpenIdProvider(callback);
    http = createHttpClient({ allowHosts: [] });
    now = Date.now();
  });
  afterEach(async () => {
    await http.close();
    await standin[Symbol.asyncDispose]();
  });

  const clock = (): number => now;
  const depsFor = (allowedDomains: readonly string[] = ['example.com']): UpstreamDeps => ({
    database,
    clock,
    sealer: createSealer('s'.repeat(40), 'orgctx/upstream/v1'),
    provider: upstreamProvider({
      config: { issuer: standin.issuer, clientId: standin.clientId, allowedDomains },
      clientSecret: standin.clientSecret,
      baseUrl,
      http,
      clock,
      timeoutMs: 2000,
    }),
  });
  const begin = (deps: UpstreamDeps): Promise<UpstreamStart> =>
    beginUpstream(deps, { returnTo: '/.auth/account' });
  const finish = (deps: UpstreamDeps, sealed: string | undefined, back: URL): Promise<UpstreamSignedIn> =>
    finishUpstream(deps, { query: back.searchParams, sealed, address: '192.0.2.1' });
  const signIn = async (deps = depsFor()): Promise<UpstreamSignedIn> => {
    const { url, sealed } = await begin(deps);
    return finish(deps, sealed, await standin.visit(url));
  };
  const invite = async (email: string, expiresAt = now + minute): Promise<void> => {
    const organization = newId();
    await database.queries
      .insertInto('organizations')
      .values({ id: organization, slug: `acme-${organization.slice(-8)}`, name: 'Acme', created_at: 0 })
      .execute();
    await database.queries
      .insertInto('invitations')
      .values({
        id: newId(),
        organization_id: organization,
        email,
        role: 'member',
        hash: newId(),
        invited_by: null,
        expires_at: expiresAt,
        accepted_at: null,
        revoked_at: null,
        created_at: 0,
      })
      .execute();
  };
  const people = async (): Promise<number> =>
    (await database.queries.selectFrom('users').select('id').execute()).length;
  const sessions = async (): Promise<number> =>
    (await database.queries.selectFrom('sessions').select('hash').execute()).length;

  describe('an admitted person', () => {
    it('gets an account without membership for a verified address of an allowed domain', async () => {
      const { token, user, returnTo } = await signIn();
      expect(await findSession(database.queries, token, clock)).toMatchObject({ email: 'ada@example.com' });
      expect({ email: user.email, returnTo }).toEqual({
        email: 'ada@example.com',
        returnTo: '/.auth/account',
      });
      expect(await database.queries.selectFrom('memberships').selectAll().execute()).toEqual([]);
    });

    it('gets one for an address with an open invitation, and none for an expired one', async () => {
      await invite('ada@example.com', now - 1);
      await expect(signIn(depsFor([]))).rejects.toEqual(refused);
      await invite('ada@example.com');
      expect((await signIn(depsFor([]))).user.email).toBe('ada@example.com');
    });

    it('is identified by issuer and subject, whatever their address is now', async () => {
      const first = await signIn();
      standin.person = { subject: 'ada-upstream', email: 'ada.lovelace@example.net', verified: true };
      expect((await signIn(depsFor([]))).user.id).toBe(first.user.id);
      expect(await people()).toBe(1);
    });

    it('is admitted by the address from the provider when the ID token has none', async () => {
      standin.misbehaviour = { emailAtUserInfo: true };
      expect((await signIn()).user.email).toBe('ada@example.com');
      expect(standin.requestCounts.get('/me')).toBe(1);
    });

    it('gets one account from two concurrent first sign-ins', async () => {
      const deps = depsFor();
      const [first, second] = [await begin(deps), await begin(deps)];
      const backs = [await standin.visit(first.url), await standin.visit(second.url)] as const;
      const ids = await Promise.all([
        finish(deps, first.sealed, backs[0]),
        finish(deps, second.sealed, backs[1]),
      ]);
      expect(new Set(ids.map(({ user }) => user.id)).size).toBe(1);
      expect(await people()).toBe(1);
    });

    it('has the account, the sign-in and the link in the audit log', async () => {
      await signIn();
      const rows = await database.queries.selectFrom('audit_events').select('action').orderBy('id').execute();
      const actions = rows.map(({ action }) => action).toSorted();
      expect(actions).toEqual(['identity.linked', 'session.begun', 'user.created']);
    });
  });

  describe('a refused person', () => {
    afterEach(async () => {
      expect(await sessions()).toBe(0);
    });

    it.each([
      ['is not verified', { email: 'ada@example.com', verified: false }],
      ['is not verified, with the claim as text', { email: 'ada@example.com', verified: 'false' }],
      ['has no claim of verification', { email: 'ada@example.com' }],
      ['is missing', { verified: true }],
      ['is in a subdomain of an allowed domain', { email: 'ada@evil.example.com', verified: true }],
      ['ends like an allowed domain', { email: 'ada@notexample.com', verified: true }],
      ['hides an allowed domain before another', { email: 'ada@example.com@evil.example', verified: true }],
    ])('is one whose address %s', async (_what, person) => {
      standin.person = { subject: 'ada-upstream', ...person };
      await expect(signIn()).rejects.toSatisfy(
        (error: { status: number }) => error.status === 403 || error.status === 400,
      );
      expect(await people()).toBe(0);
    });

    it('is one without an account or an invitation', async () => {
      await invite('bob@example.com');
      await expect(signIn(depsFor([]))).rejects.toEqual(refused);
      expect(await people()).toBe(0);
    });

    it('is one whose account has a password: it is never linked silently, invited or not', async () => {
      const ada = await ensureUser(database.queries, 'ada@example.com', clock);
      await setPasswordHash(database.queries, ada.id, '$argon2id$…');
      await invite('ada@example.com');
      await expect(signIn()).rejects.toThrow(/is not linked .* Sign in with your password/);
      expect(await database.queries.selectFrom('user_identities').selectAll().execute()).toEqual([]);
    });

    it('is a second subject with the same address: it does not get the account of the first', async () => {
      await signIn();
      await database.queries.deleteFrom('sessions').execute();
      standin.person = { subject: 'another', email: 'ada@example.com', verified: true };
      await expect(signIn()).rejects.toEqual(refused);
    });

    it('is one of two concurrent subjects with one address', async () => {
      const deps = depsFor();
      const [first, second] = [await begin(deps), await begin(deps)];
      const backOfAda = await standin.visit(first.url);
      standin.person = { subject: 'another', email: 'ada@example.com', verified: true };
      const backOfOther = await standin.visit(second.url);
      const outcomes = await Promise.allSettled([
        finish(deps, first.sealed, backOfAda),
        finish(deps, second.sealed, backOfOther),
      ]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      await database.queries.deleteFrom('sessions').execute();
    });

    // On SQLite one transaction writes at a time, so nothing can happen in between.
    itWhen(dialect === 'postgres')('is one whose account gets a password during the check', async () => {
      const ada = await ensureUser(database.queries, 'ada@example.com', clock);
      const [looked, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const pauseAfterLook: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          if (result.rows.some((row) => 'password_hash' in row)) {
            looked.resolve();
            await changed.promise;
          }
          return result;
        },
      };
      const identity = { issuer: standin.issuer, subject: 'ada-upstream', email: 'ada@example.com' };
      const provider = { allowedDomains: ['example.com'] };
      const admission = database.transaction((tx) =>
        admitIdentity(tx.withPlugin(pauseAfterLook), provider, identity, now),
      );
      const refusal = expect(admission).rejects.toThrow(/is not linked/);
      await looked.promise;
      await setPasswordHash(database.queries, ada.id, '$argon2id$…');
      changed.resolve();
      await refusal;
    });

    it('is a disabled user', async () => {
      const { user } = await signIn();
      await database.queries.deleteFrom('sessions').execute();
      await disableUser(database.queries, user.id, now);
      await expect(signIn()).rejects.toThrow(/disabled/);
    });
  });

  describe('a provider that violates the standard signs nobody in', () => {
    afterEach(async () => {
      expect({ people: await people(), sessions: await sessions() }).toEqual({ people: 0, sessions: 0 });
    });
    const past = Math.floor(Date.now() / 1000) - 3600;

    it.each<[string, Misbehaviour]>([
      ['another nonce', { claims: { nonce: 'another' } }],
      ['another issuer', { claims: { iss: 'https://evil.example' } }],
      ['another audience', { claims: { aud: 'another-client' } }],
      ['several audiences and another authorized party', { claims: { aud: ['orgctx', 'x'], azp: 'x' } }],
      ['an expired token', { claims: { exp: past } }],
      ['a key that it does not publish', { foreignKey: true }],
      ['no subject', { claims: { sub: '' } }],
      ['a subject without end', { claims: { sub: 'x'.repeat(300) } }],
    ])('OpenID Connect Core section 3.1.3.7: an ID token with %s', async (_what, misbehaviour) => {
      standin.misbehaviour = misbehaviour;
      await expect(signIn()).rejects.toEqual(unreliable);
    });

    it('OpenID Connect Discovery section 4.3: metadata of another issuer', async () => {
      standin.misbehaviour = { publishedIssuer: 'https://evil.example' };
      await expect(begin(depsFor())).rejects.toEqual(unreliable);
    });

    it('when it is down: the next sign-in asks again, and its metadata is cached while it is up', async () => {
      const deps = depsFor();
      standin.misbehaviour = { broken: true };
      await expect(begin(deps)).rejects.toEqual(unreliable);
      standin.misbehaviour = {};
      await begin(deps);
      await begin(deps);
      expect(standin.requestCounts.get('/.well-known/openid-configuration')).toBe(2);
      now += 61 * minute;
      await begin(deps);
      expect(standin.requestCounts.get('/.well-known/openid-configuration')).toBe(3);
    });

    it('when it never answers: the request times out, and no transaction waits for it', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      standin.misbehaviour = { slow: promise };
      const refusal = expect(signIn()).rejects.toEqual(unreliable);
      await expect.poll(() => standin.requestCounts.get('/token')).toBe(1);
      await database.transaction((tx) => ensureUser(tx, 'bob@example.com', clock));
      await database.queries.deleteFrom('users').execute();
      await refusal;
      resolve();
      // Well under what the library itself would wait.
    });

    it('when it denies: its error is reduced to one known word', async () => {
      standin.misbehaviour = { refuses: 'access_denied' };
      await expect(signIn()).rejects.toThrow(/returned "access_denied"/);
    });
  });

  describe('a callback that this browser did not request (RFC 9700 section 4.7) is refused', () => {
    afterEach(async () => {
      expect(await sessions()).toBe(0);
    });

    it('without its cookie, or with that of another attempt', async () => {
      const deps = depsFor();
      const [mine, other] = [await begin(deps), await begin(deps)];
      const back = await standin.visit(mine.url);
      await expect(finish(deps, undefined, back)).rejects.toEqual(badRequest);
      await expect(finish(deps, other.sealed, back)).rejects.toEqual(badRequest);
      await expect(finish(deps, `${mine.sealed}x`, back)).rejects.toEqual(badRequest);
      expect(standin.requestCounts.get('/token')).toBeUndefined();
    });

    it('after 10 minutes', async () => {
      const deps = depsFor();
      const { url, sealed } = await begin(deps);
      const back = await standin.visit(url);
      now += 10 * minute;
      await expect(finish(deps, sealed, back)).rejects.toEqual(badRequest);
    });

    it('with a state that is changed, missing, or given twice', async () => {
      const deps = depsFor();
      const { url, sealed } = await begin(deps);
      for (const change of [
        (query: URLSearchParams) => query.set('state', 'x'),
        (query: URLSearchParams) => query.delete('state'),
        (query: URLSearchParams) => query.append('state', query.get('state') ?? ''),
      ]) {
        const back = await standin.visit(url);
        change(back.searchParams);
        await expect(finish(deps, sealed, back)).rejects.toEqual(badRequest);
      }
    });

    it('with an answer in the name of another issuer (RFC 9207 section 2.4)', async () => {
      const deps = depsFor();
      const { url, sealed } = await begin(deps);
      const back = await standin.visit(url);
      back.searchParams.set('iss', 'https://evil.example');
      await expect(finish(deps, sealed, back)).rejects.toEqual(unreliable);
    });

    it('with a code that has been used or belongs to another attempt', async () => {
      const deps = depsFor();
      const [mine, other] = [await begin(deps), await begin(deps)];
      const [back, otherBack] = [await standin.visit(mine.url), await standin.visit(other.url)];
      back.searchParams.set('code', otherBack.searchParams.get('code') ?? '');
      // PKCE binds a code to the attempt that requested it (RFC 7636 section 4.6).
      await expect(finish(deps, mine.sealed, back)).rejects.toEqual(badRequest);
    });
  });

  it('stores no token, code or verifier of the provider in the database', async () => {
    const deps = depsFor();
    const { url, sealed } = await begin(deps);
    const back = await standin.visit(url);
    const { token } = await finish(deps, sealed, back);
    const rows = await Promise.all(
      (['users', 'user_identities', 'sessions', 'audit_events'] as const).map((table) =>
        database.queries.selectFrom(table).selectAll().execute(),
      ),
    );
    const dump = JSON.stringify(rows);
    for (const secret of [token, back.searchParams.get('code'), back.searchParams.get('state'), sealed]) {
      expect(dump).not.toContain(secret);
    }
  });
});
