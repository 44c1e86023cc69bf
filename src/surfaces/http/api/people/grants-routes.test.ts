import { beforeEach, describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../../../test/support/http/http-server.ts';
import type { GrantRecord } from '../../../../features/oauth/grants/grant-record.ts';
import { newId } from '../../../../foundation/kernel/ids.ts';

const list = '/acme/api/v1/grants';

describe('REST: grants', async () => {
  const http = await useTestHttp();
  const { queries } = http.database;

  const userId = async (name: string): Promise<string> => {
    const email = `${name}@example.com`;
    const user = await queries
      .selectFrom('users')
      .where('email', '=', email)
      .select('id')
      .executeTakeFirstOrThrow();
    return user.id;
  };

  const organizationId = async (slug: string): Promise<string> => {
    const found = queries.selectFrom('organizations').where('slug', '=', slug).select('id');
    return (await found.executeTakeFirstOrThrow()).id;
  };

  async function grant(name: string, slug: string): Promise<string> {
    const created_at = Date.UTC(2026, 10, 21);
    const id: string = newId(created_at);
    const row = {
      id,
      user_id: await userId(name),
      organization_id: await organizationId(slug),
      client_id: 'client-1',
      client_name: 'Editor',
      scopes: 'mcp api',
      last_used_at: null,
      expires_at: Date.UTC(2100, 0, 1),
      revoked_at: null,
      created_at,
    };
    await queries.insertInto('oauth_grants').values(row).execute();
    return id;
  }

  beforeEach(async () => {
    await queries.deleteFrom('oauth_grants').execute();
  });

  it('lists the grants of the caller in the format of the contract', async () => {
    const id = await grant('member', 'acme');
    await grant('admin', 'acme');
    expect((await http.call({ url: list })).json()).toEqual({
      items: [
        {
          id,
          client: { id: 'client-1', name: 'Editor' },
          organization: { slug: 'acme', name: 'acme' },
          scopes: ['mcp', 'api'],
          createdAt: '2026-11-21T00:00:00.000Z',
          lastUsedAt: null,
          expiresAt: '2100-01-01T00:00:00.000Z',
        },
      ],
      nextCursor: null,
    });
  });

  it('lists page by page without duplicates, also for grants of the same millisecond', async () => {
    const ids = [await grant('member', 'acme'), await grant('member', 'acme'), await grant('member', 'acme')];
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await http.call({ url: `${list}?limit=2${cursor && `&cursor=${cursor}`}` });
      const body = page.json<{ items: GrantRecord[]; nextCursor: string | null }>();
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(ids.toSorted());
    expect((await http.call({ url: `${list}?cursor=x` })).json()).toMatchObject({
      code: 'validation_failed',
    });
  });

  it('revokes a grant and no longer lists it', async () => {
    const id = await grant('member', 'acme');
    const end = () => http.call({ method: 'DELETE', url: `${list}/${id}` });
    expect((await end()).statusCode).toBe(204);
    expect((await end()).statusCode).toBe(404);
    expect((await http.call({ url: list })).json()).toMatchObject({ items: [] });
  });

  it('responds identically for a grant of another user, an unknown id and an invalid one, and revokes none', async () => {
    const adminGrant = await grant('admin', 'acme');
    const bodies = new Set<string>();
    for (const id of [adminGrant, newId(), 'x', '%00', '..%2f..']) {
      const answer = await http.call({ method: 'DELETE', url: `${list}/${id}`, as: 'owner' });
      const { requestId, ...body } = answer.json<{ requestId: string }>();
      expect([id, requestId, answer.statusCode]).toEqual([id, expect.any(String), 404]);
      bodies.add(JSON.stringify(body));
    }
    expect(bodies.size).toBe(1);
    expect((await http.call({ url: list, as: 'admin' })).json()).toMatchObject({
      items: [{ id: adminGrant }],
    });
  });
});

describe('REST: grants, for a client that is bound to one organization', async () => {
  const ids = { grant: newId(), other: newId() } as const;
  const bound: { userId?: string; organizationId?: string } = {};
  const http = await useTestHttp({
    verifyAccessToken: async () => ({
      principal: {
        userId: bound.userId as never,
        email: 'gil@example.com',
        credential: {
          kind: 'oauth',
          grantId: ids.grant,
          organizationId: bound.organizationId as never,
          firstParty: false,
        },
        scopes: new Set(['api'] as const),
      },
      membership: undefined,
    }),
  });

  it('are only those of that organization', async () => {
    const { queries } = http.database;
    const all = await queries
      .selectFrom('organizations')
      .innerJoin('users', (join) => join.on('users.email', '=', 'gil@example.com'))
      .select(['organizations.id', 'slug', 'users.id as user'])
      .execute();
    for (const { id, slug, user } of all) {
      const mine = slug === 'globex';
      if (mine) Object.assign(bound, { userId: user, organizationId: id });
      const row = {
        id: mine ? ids.grant : ids.other,
        user_id: user,
        organization_id: id,
        client_id: 'c',
        client_name: slug,
        scopes: 'api',
        last_used_at: null,
        expires_at: Date.UTC(2100, 0, 1),
        revoked_at: null,
        created_at: 0,
      };
      await queries.insertInto('oauth_grants').values(row).execute();
    }
    const headers = { authorization: 'Bearer a.b.c' };
    const listed = await http.server.inject({ url: '/globex/api/v1/grants', headers });
    expect(listed.json<{ items: GrantRecord[] }>().items.map(({ id }) => id)).toEqual([ids.grant]);
    const end = (id: string) =>
      http.server.inject({ method: 'DELETE', url: `/globex/api/v1/grants/${id}`, headers });
    expect((await end(ids.other)).statusCode).toBe(404);
    expect((await end(ids.grant)).statusCode).toBe(204);
  });
});
