import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { openTestHttp, type TestHttp } from '../../../../test/support/http/http-server.ts';
import type { Principal } from '../../../features/identity/access/principal.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';

const list = '/acme/api/v1/repositories';

describeEachDatabase('who may call REST', (open) => {
  let database: Database;
  let http: TestHttp;
  const tokens = new Map<string, Principal>();

  beforeAll(async () => {
    database = await open();
    http = await openTestHttp(database, {
      verifyAccessToken: async (token) => {
        const principal = tokens.get(token);
        return principal && { principal, membership: undefined };
      },
    });
    const user = await database.queries
      .selectFrom('users')
      .select('id')
      .where('email', '=', 'member@example.com')
      .executeTakeFirstOrThrow();
    const acme = await database.queries
      .selectFrom('organizations')
      .select('id')
      .where('slug', '=', 'acme')
      .executeTakeFirstOrThrow();
    const grant = (organizationId: string | undefined, scopes: Principal['scopes']): Principal => ({
      userId: user.id as UserId,
      email: 'member@example.com',
      credential: {
        kind: 'oauth',
        grantId: 'g',
        organizationId: organizationId as OrganizationId | undefined,
        firstParty: false,
      },
      scopes,
    });
    tokens.set('for-mcp', grant(acme.id, new Set(['mcp'])));
    tokens.set('for-api', grant(acme.id, new Set(['api'])));
    tokens.set('unbound', grant(undefined, new Set(['api'])));
  });
  afterAll(() => database.close());

  const withToken = (token: string, url = list) =>
    http.server.inject({ url, headers: { authorization: `Bearer ${token}` } });

  it('challenges a request without a credential, with advice and without an error code', async () => {
    const answer = await http.server.inject(list);
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toMatchObject({ code: 'unauthenticated' });
    expect(answer.headers['www-authenticate']).toMatch(
      /^Bearer resource_metadata="https:\/\/ctx\.example\/\.well-known\/oauth-protected-resource", scope="api", error_description="Sign in first/,
    );
  });

  it('challenges an invalid token with an error code', async () => {
    const answer = await withToken('nonsense');
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toMatchObject({ code: 'invalid_token' });
    expect(answer.headers['www-authenticate']).toMatch(
      /^Bearer resource_metadata="[^"]+", scope="api", error="invalid_token"/,
    );
  });

  it('challenges a token without the required scope', async () => {
    const answer = await withToken('for-mcp');
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ code: 'insufficient_scope' });
    expect(answer.headers['www-authenticate']).toContain('scope="api", error="insufficient_scope"');
    expect((await withToken('for-api')).statusCode).toBe(200);
  });

  it('asks the holder of an unbound grant to connect again', async () => {
    const answer = await withToken('unbound');
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ code: 'grant_unbound' });
  });

  it('responds identically for unknown organizations and those of other users', async () => {
    const bodies = [];
    for (const slug of ['globex', 'nowhere', 'ACME', 'api', '%00', '..', 'a%2Fb', 'x'.repeat(80)]) {
      const answer = await http.call({ url: `/${slug}/api/v1/repositories` });
      if (slug === '..') continue;
      expect([slug, answer.statusCode]).toEqual([slug, 403]);
      const { requestId, ...body } = answer.json<{ requestId: string }>();
      expect(requestId).toEqual(expect.any(String));
      bodies.push(JSON.stringify(body));
    }
    expect(new Set(bodies).size).toBe(1);
  });

  it.each([
    ['POST', list],
    ['DELETE', `${list}/01960000-0000-7000-8000-000000000000`],
    ['POST', `${list}/01960000-0000-7000-8000-000000000000/sync`],
  ] as const)('%s %s is for admins and owners', async (method, url) => {
    const as = (who: 'member' | 'admin' | 'owner') => http.call({ method, url, payload: {}, as: who });
    expect((await as('member')).json()).toMatchObject({ status: 403, code: 'forbidden' });
    for (const who of ['admin', 'owner'] as const) expect([400, 404]).toContain((await as(who)).statusCode);
  });

  it('refuses a disabled user from the next request', async () => {
    expect((await http.call({ url: list, as: 'admin' })).statusCode).toBe(200);
    await database.queries
      .updateTable('users')
      .set({ disabled_at: Date.now() })
      .where('email', '=', 'admin@example.com')
      .execute();
    expect((await http.call({ url: list, as: 'admin' })).statusCode).toBe(401);
  });
});
