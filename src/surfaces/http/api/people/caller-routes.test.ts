import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../../test/support/database/databases.ts';
import { openTestHttp, type TestHttp } from '../../../../../test/support/http/http-server.ts';
import type { Database } from '../../../../foundation/db/database.ts';
import type { OrganizationId, UserId } from '../../../../foundation/kernel/ids.ts';

describeEachDatabase('GET /api/v1/me', (open) => {
  let database: Database;
  let http: TestHttp;
  /** The grant of the owner's token; tests change its organization and scopes. */
  let grant: { organizationId: OrganizationId | undefined; scopes: ReadonlySet<'api' | 'mcp'> };

  beforeAll(async () => {
    database = await open();
    http = await openTestHttp(database, {
      verifyAccessToken: async (token) =>
        token === 'at-owner'
          ? {
              principal: {
                userId: await idOf('users', 'owner@example.com'),
                email: 'owner@example.com',
                credential: {
                  kind: 'oauth',
                  grantId: 'g-1',
                  organizationId: grant.organizationId,
                  firstParty: true,
                },
                scopes: grant.scopes,
              },
              membership: undefined,
            }
          : undefined,
    });
    const now = Date.now();
    await database.queries
      .insertInto('oauth_grants')
      .values({
        id: 'g-1',
        user_id: await idOf('users', 'owner@example.com'),
        organization_id: await idOf('organizations', 'acme'),
        client_id: 'orgctx-cli',
        client_name: 'orgctx',
        scopes: 'api offline_access',
        last_used_at: null,
        expires_at: now + 86_400_000,
        revoked_at: null,
        created_at: now,
      })
      .execute();
  });

  async function idOf(table: 'users', email: string): Promise<UserId>;
  async function idOf(table: 'organizations', slug: string): Promise<OrganizationId>;
  async function idOf(table: 'users' | 'organizations', name: string): Promise<string> {
    const rows =
      table === 'users'
        ? database.queries.selectFrom('users').where('email', '=', name).select('id')
        : database.queries.selectFrom('organizations').where('slug', '=', name).select('id');
    return (await rows.executeTakeFirstOrThrow()).id;
  }

  const asGrant = (url: string) => http.server.inject({ url, headers: { authorization: 'Bearer at-owner' } });

  it('identifies an API key in the given organization', async () => {
    const answer = await http.call({ url: '/api/v1/me?orgSlug=acme', as: 'admin' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toEqual({
      user: { id: await idOf('users', 'admin@example.com'), email: 'admin@example.com' },
      organization: { slug: 'acme', name: expect.any(String), role: 'admin' },
      credential: { kind: 'api-key', id: expect.any(String), name: expect.any(String), expiresAt: null },
      scopes: ['api', 'mcp'],
    });
  });

  it('returns the chosen organization to an OAuth client', async () => {
    grant = { organizationId: await idOf('organizations', 'acme'), scopes: new Set(['api']) };
    const answer = await asGrant('/api/v1/me');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      organization: { slug: 'acme', role: 'owner' },
      credential: { kind: 'oauth', id: 'g-1', name: 'orgctx', expiresAt: expect.stringMatching(/Z$/) },
      scopes: ['api'],
    });
  });

  it.each([
    ['no credential', '/api/v1/me?orgSlug=acme', {}, 401, 'unauthenticated'],
    ['an invalid token', '/api/v1/me', { authorization: 'Bearer at-x' }, 401, 'invalid_token'],
  ])('refuses %s', async (_, url, headers, status, code) => {
    const answer = await http.server.inject({ url, headers });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ code });
    expect(answer.headers['www-authenticate']).toContain('resource_metadata=');
  });

  it.each([
    ['no organization', '/api/v1/me', 400, 'org_slug_required'],
    ['two organizations', '/api/v1/me?orgSlug=acme&orgSlug=globex', 400, 'validation_failed'],
    ['an organization of others', '/api/v1/me?orgSlug=globex', 403, 'forbidden'],
    ['an unknown organization', '/api/v1/me?orgSlug=nobody', 403, 'forbidden'],
    ['an invalid slug', '/api/v1/me?orgSlug=..%2F', 403, 'forbidden'],
  ])('refuses a key with %s', async (_, url, status, code) => {
    const answer = await http.call({ url });
    expect([answer.statusCode, answer.json()]).toEqual([status, expect.objectContaining({ code })]);
  });

  it('refuses a grant for another organization, an unbound grant and a grant without the scope api', async () => {
    const acme = await idOf('organizations', 'acme');
    grant = { organizationId: acme, scopes: new Set(['api']) };
    expect((await asGrant('/api/v1/me?orgSlug=globex')).statusCode).toBe(403);
    grant = { organizationId: undefined, scopes: new Set(['api']) };
    expect((await asGrant('/api/v1/me')).json()).toMatchObject({ code: 'grant_unbound' });
    grant = { organizationId: acme, scopes: new Set(['mcp']) };
    expect((await asGrant('/api/v1/me')).json()).toMatchObject({ code: 'insufficient_scope' });
  });
});
