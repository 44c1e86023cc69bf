import { beforeEach, describe, expect, it } from 'vitest';
import { bootstrapUrl } from '../../../src/app/bootstrap.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { pageRoutes } from '../../../src/surfaces/pages/page-routes.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { openTestHttp, publicOrigin, type TestHttp } from '../../support/http/http-server.ts';
import { noLimits } from '../../support/http/no-limits.ts';
import { formOf, type PageVisitor, pageVisitor } from '../../support/http/page-visitor.ts';
import { testPagesDeps } from '../../support/http/pages.ts';
import { openTestAuthorizationServer } from '../../support/identity/authorization-server.ts';
import { testHash, testHashing } from '../../support/identity/people.ts';

const password = 'correct horse battery';
const sessionCookie = '__Host-orgctx_session';

type As = 'owner' | 'admin' | 'member' | 'gil';

describeEachDatabase('an attacker among the users', (open) => {
  let database: Database;
  let http: TestHttp;

  beforeEach(async () => {
    database = await open();
    const oauth = await openTestAuthorizationServer(database, { baseUrl: publicOrigin });
    const deps = testPagesDeps(database, { baseUrl: publicOrigin, oauth });
    const identity = { ...deps.identity, hashing: testHashing() };
    http = await openTestHttp(database, {
      oauth,
      limits: noLimits,
      plugins: [{ name: 'pages', plugin: pageRoutes({ ...deps, identity }) }],
    });
    await database.queries
      .updateTable('users')
      .set({ password_hash: testHash(password) })
      .execute();
    return () => http.server.close();
  });

  const visitor = () => pageVisitor(http.server);
  const signedIn = async (email: string): Promise<PageVisitor> => {
    const browser = visitor();
    await browser.submit(await browser.get('/.auth/sign-in'), { email, password });
    expect(browser.cookies.has(sessionCookie)).toBe(true);
    return browser;
  };
  const userId = async (email: string) =>
    (await database.queries.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst())
      ?.id;
  const role = async (email: string, slug = 'acme') => {
    const query = database.queries
      .selectFrom('memberships as m')
      .innerJoin('users as u', 'u.id', 'm.user_id')
      .innerJoin('organizations as o', 'o.id', 'm.organization_id')
      .where('u.email', '=', email)
      .where('o.slug', '=', slug);
    return (await query.select('m.role').executeTakeFirst())?.role;
  };
  const invite = async (email: string, as: As = 'admin', invited = 'member') => {
    const payload = { email, role: invited };
    const answer = await http.call({ method: 'POST', url: '/acme/api/v1/invitations', payload, as });
    const { id, link } = answer.json<{ id: string; link: string }>();
    return { id, path: new URL(link).pathname };
  };
  /** Opens the invitation and submits its form, if there is one. */
  const accept = async (browser: PageVisitor, path: string, fields: Record<string, string> = {}) => {
    const page = await browser.get(path);
    if (!page.body.includes(`action="${path}"`)) return page;
    return browser.submit(page, fields, path);
  };

  describe('with an invitation', () => {
    it('gets nobody in twice', async () => {
      const { path } = await invite('new@example.com');
      expect((await accept(visitor(), path, { password })).statusCode).toBe(303);
      const second = visitor();
      expect((await accept(second, path, { password: 'of somebody else' })).statusCode).toBe(410);
      expect(second.cookies.has(sessionCookie)).toBe(false);
      expect(
        await database.queries
          .selectFrom('users')
          .select('password_hash')
          .where('email', '=', 'new@example.com')
          .executeTakeFirst(),
      ).toEqual({ password_hash: testHash(password) });
    });

    it('gets one of two concurrent requests in', async () => {
      const { path } = await invite('new@example.com');
      const browsers = [visitor(), visitor()];
      const pages = await Promise.all(browsers.map((browser) => browser.get(path)));
      const answers = await Promise.all(
        browsers.map((browser, index) => browser.submit(pages[index] as never, { password }, path)),
      );
      expect(answers.filter(({ statusCode }) => statusCode === 303)).toHaveLength(1);
      expect(browsers.filter(({ cookies }) => cookies.has(sessionCookie))).toHaveLength(1);
    });

    it('of another e-mail does not get in, even with the token of their own form', async () => {
      const { path } = await invite('new@example.com');
      const gil = await signedIn('gil@example.com');
      const page = await gil.get(path);
      expect(page.body).not.toContain(`action="${path}"`);
      const own = await invite('gil@example.com');
      const { fields } = formOf((await gil.get(own.path)).body, own.path);
      expect((await gil.post(path, fields)).statusCode).toBeGreaterThanOrEqual(400);
      expect(await role('gil@example.com')).toBeUndefined();
      expect((await accept(visitor(), path, { password })).statusCode).toBe(303);
    });

    it('takes over no existing account of the invited address: that user must sign in first', async () => {
      const { path } = await invite('gil@example.com');
      const otherBrowser = visitor();
      const page = await otherBrowser.get(path);
      expect(page.body).not.toContain('type="password"');
      expect(otherBrowser.cookies.has(sessionCookie)).toBe(false);
      expect((await accept(await signedIn('gil@example.com'), path)).statusCode).toBe(303);
      expect(await role('gil@example.com')).toBe('member');
    });

    it('that has expired does not get in', async () => {
      const { path } = await invite('new@example.com');
      await database.queries.updateTable('invitations').set({ expires_at: Date.now() }).execute();
      expect((await accept(visitor(), path, { password })).statusCode).toBe(410);
      expect(await userId('new@example.com')).toBeUndefined();
    });

    it('that was revoked does not get in, though its page was open before', async () => {
      const { id, path } = await invite('new@example.com');
      const browser = visitor();
      const page = await browser.get(path);
      await http.call({ method: 'DELETE', url: `/acme/api/v1/invitations/${id}`, as: 'admin' });
      expect((await browser.submit(page, { password }, path)).statusCode).toBe(410);
      expect(await userId('new@example.com')).toBeUndefined();
    });

    it('gets only the role, organization and address of the invitation, whatever the form contains', async () => {
      const { path } = await invite('new@example.com');
      const more = { role: 'owner', orgSlug: 'globex', organization: 'globex', email: 'eve@example.com' };
      await accept(visitor(), path, { password, ...more });
      expect(await role('new@example.com')).toBe('member');
      expect(await role('new@example.com', 'globex')).toBeUndefined();
      expect(await userId('eve@example.com')).toBeUndefined();
    });

    it('of an admin who has been removed since does not get in', async () => {
      const { path } = await invite('new@example.com', 'admin');
      const url = `/acme/api/v1/members/${await userId('admin@example.com')}`;
      expect((await http.call({ method: 'DELETE', url, as: 'owner' })).statusCode).toBe(204);
      const answer = await accept(visitor(), path, { password });
      expect([answer.statusCode, answer.body]).toEqual([
        403,
        expect.stringContaining('can no longer invite'),
      ]);
      expect(await userId('new@example.com')).toBeUndefined();
    });

    it('cannot create one for a role above their own, and cannot revoke that of an owner', async () => {
      const post = (as: As, invited: string) =>
        http.call({
          method: 'POST',
          url: '/acme/api/v1/invitations',
          payload: { email: 'new@example.com', role: invited },
          as,
        });
      expect((await post('member', 'member')).statusCode).toBe(403);
      expect((await post('admin', 'owner')).statusCode).toBe(403);
      expect((await post('gil', 'member')).statusCode).toBe(403);
      const { path } = await invite('new@example.com', 'owner', 'owner');
      expect((await post('admin', 'member')).statusCode).toBe(403);
      expect((await accept(visitor(), path, { password })).statusCode).toBe(303);
      expect(await role('new@example.com')).toBe('owner');
    });
  });

  describe('with a role', () => {
    const put = async (as: As, email: string, given: string) => {
      const url = `/acme/api/v1/members/${await userId(email)}`;
      return (await http.call({ method: 'PUT', url, payload: { role: given }, as })).statusCode;
    };
    const remove = async (as: As, email: string) => {
      const url = `/acme/api/v1/members/${await userId(email)}`;
      return (await http.call({ method: 'DELETE', url, as })).statusCode;
    };

    it('raises neither their own role nor that of an accomplice above it', async () => {
      expect(await put('member', 'member@example.com', 'admin')).toBe(403);
      expect(await put('admin', 'admin@example.com', 'owner')).toBe(403);
      expect(await put('admin', 'member@example.com', 'owner')).toBe(403);
      expect(await put('gil', 'member@example.com', 'owner')).toBe(403);
      expect(await role('member@example.com')).toBe('member');
    });

    it('demotes nobody above it, and never the last owner', async () => {
      expect(await put('admin', 'owner@example.com', 'member')).toBe(403);
      expect(await remove('admin', 'owner@example.com')).toBe(403);
      expect(await remove('member', 'admin@example.com')).toBe(403);
      expect(await remove('owner', 'owner@example.com')).toBe(409);
      expect(await put('owner', 'owner@example.com', 'admin')).toBe(409);
      expect(await role('owner@example.com')).toBe('owner');
    });

    it('leaves one owner of two who remove each other at the same moment', async () => {
      expect(await put('owner', 'admin@example.com', 'owner')).toBe(200);
      const outcomes = await Promise.all([
        remove('owner', 'admin@example.com'),
        remove('admin', 'owner@example.com'),
      ]);
      expect(outcomes.filter((status) => status === 204)).toHaveLength(1);
      const owners = database.queries.selectFrom('memberships as m').where('m.role', '=', 'owner');
      const left = await owners
        .innerJoin('organizations as o', 'o.id', 'm.organization_id')
        .where('o.slug', '=', 'acme')
        .select('m.user_id')
        .execute();
      expect(left).toHaveLength(1);
    });
  });

  describe('with API keys', () => {
    const keys = '/acme/api/v1/api-keys';

    it.each(['userId', 'user_id', 'user', 'email', 'owner', 'organizationId', 'key', 'hash', 'prefix'])(
      'creates none for another user by the field %s (CVE-2025-61928)',
      async (field) => {
        const owner = (await userId('owner@example.com')) ?? '';
        const before = await database.queries.selectFrom('api_keys').select('id').execute();
        const payload = { name: 'k', [field]: field === 'email' ? 'owner@example.com' : owner };
        expect((await http.call({ method: 'POST', url: keys, payload })).statusCode).toBe(400);
        const query = `${keys}?${field}=${owner}`;
        await http.call({ method: 'POST', url: query, payload: { name: 'by query' } });
        const after = await database.queries.selectFrom('api_keys').selectAll().execute();
        const known = new Set(before.map(({ id }) => id));
        const member = await userId('member@example.com');
        const made = after.filter(({ id }) => !known.has(id));
        expect(made.filter(({ user_id }) => user_id !== member)).toEqual([]);
      },
    );

    it('creates none without a credential', async () => {
      const answer = await http.server.inject({ method: 'POST', url: keys, payload: { name: 'k' } });
      expect(answer.statusCode).toBe(401);
    });

    it('reads neither key nor hash in any listing', async () => {
      const { apiKey } = (
        await http.call({ method: 'POST', url: keys, payload: { name: 'k' }, as: 'owner' })
      ).json<{ apiKey: string }>();
      const rows = await database.queries.selectFrom('api_keys').select('hash').execute();
      for (const noun of ['api-keys', 'audit', 'members', 'invitations', 'grants', 'me']) {
        const { body, statusCode } = await http.call({ url: `/acme/api/v1/${noun}`, as: 'owner' });
        expect([noun, statusCode === 200 || noun === 'me']).toEqual([noun, true]);
        for (const secret of [apiKey, apiKey.slice(4), ...rows.map(({ hash }) => hash)]) {
          expect(body).not.toContain(secret);
        }
      }
    });
  });
});

describeEachDatabase('an attacker of a service that is not set up', (open) => {
  let database: Database;
  let server: TestHttp['server'];
  let path: string;

  const newLink = async () =>
    new URL((await bootstrapUrl(database.queries, { appUrl: publicOrigin })) ?? publicOrigin).pathname;
  const fill = { email: 'ada@example.com', password, orgName: 'Acme', orgSlug: 'local' };
  const setUp = async (link: string, fields: Record<string, string> = fill) => {
    const browser = pageVisitor(server);
    const page = await browser.get(link);
    if (page.statusCode !== 200) return page;
    return browser.submit(page, fields, link);
  };
  const users = async () =>
    (await database.queries.selectFrom('users').select('email').execute()).map(({ email }) => email);

  beforeEach(async () => {
    database = await open();
    const oauth = await openTestAuthorizationServer(database, { baseUrl: publicOrigin });
    const deps = testPagesDeps(database, { baseUrl: publicOrigin, oauth });
    const identity = { ...deps.identity, hashing: testHashing() };
    server = (
      await openTestHttp(database, {
        oauth,
        limits: { address: 1e6, authorizationServer: 1e6, credential: 1e6, user: 1e6 },
        plugins: [{ name: 'pages', plugin: pageRoutes({ ...deps, identity }) }],
      })
    ).server;
    await database.queries.deleteFrom('users').execute();
    await database.queries.deleteFrom('organizations').execute();
    path = await newLink();
    return () => server.close();
  });

  it('finds no account, and so no default password', async () => {
    expect(await users()).toEqual([]);
    for (const email of ['admin@localhost', 'owner@localhost', 'admin@example.com', 'root@localhost']) {
      for (const typed of ['', 'admin', 'password', 'orgctx', 'changeme']) {
        const browser = pageVisitor(server);
        const page = await browser.get('/.auth/sign-in');
        const answer = await browser.submit(page, { email, password: typed });
        expect(answer.statusCode).toBeGreaterThanOrEqual(400);
        expect(browser.cookies.has(sessionCookie)).toBe(false);
      }
    }
  });

  it('cannot set it up without the link, nor by opening the link alone', async () => {
    expect((await setUp(`/.auth/link/${'A'.repeat(43)}`)).statusCode).toBe(404);
    await pageVisitor(server).get(path);
    await pageVisitor(server).get(path);
    expect(await users()).toEqual([]);
  });

  it('cannot set it up a second time, by this link or another one', async () => {
    const another = await newLink();
    expect((await setUp(path)).statusCode).toBe(303);
    expect((await setUp(path, { ...fill, email: 'eve@example.com' })).statusCode).toBe(410);
    expect((await setUp(another, { ...fill, email: 'eve@example.com' })).statusCode).toBe(410);
    expect(await users()).toEqual(['ada@example.com']);
    expect(await bootstrapUrl(database.queries, { appUrl: publicOrigin })).toBeUndefined();
  });

  it('cannot set it up concurrently with another: only one succeeds', async () => {
    const another = await newLink();
    const answers = await Promise.all([
      setUp(path),
      setUp(another, { ...fill, email: 'eve@example.com', orgSlug: 'evil' }),
    ]);
    expect(answers.filter(({ statusCode }) => statusCode === 303)).toHaveLength(1);
    expect(await users()).toHaveLength(1);
    expect(await database.queries.selectFrom('memberships').selectAll().execute()).toHaveLength(1);
  });

  it('cannot use a link from before the first user was created at the command line', async () => {
    const browser = pageVisitor(server);
    const page = await browser.get(path);
    const row = { id: 'u', email: 'root@example.com', name: 'root', password_hash: null, disabled_at: null };
    await database.queries
      .insertInto('users')
      .values({ ...row, created_at: systemClock() })
      .execute();
    expect((await browser.submit(page, fill, path)).statusCode).toBeGreaterThanOrEqual(400);
    expect(await users()).toEqual(['root@example.com']);
  });
});
