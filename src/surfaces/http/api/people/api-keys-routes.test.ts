import { beforeAll, describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../../../test/support/http/http-server.ts';
import type { Role } from '../../../../features/identity/access/principal.ts';
import type { ApiKeyRecord } from '../../../../features/identity/api-keys/api-key-record.ts';
import { newId } from '../../../../foundation/kernel/ids.ts';

const list = '/acme/api/v1/api-keys';

describe('REST: API keys', async () => {
  const http = await useTestHttp();
  type CreatedKey = ApiKeyRecord & { readonly apiKey: string };

  const post = (payload: object, as: Role = 'member') =>
    http.call({ method: 'POST', url: list, payload, as });
  const create = async (name: string, as: Role = 'member') => (await post({ name }, as)).json<CreatedKey>();
  const keys = async (as: Role = 'member') => {
    const answer = await http.call({ url: `${list}?limit=200`, as });
    return answer.json<{ items: ApiKeyRecord[] }>().items;
  };
  const use = (apiKey: string) =>
    http.server.inject({ url: list, headers: { authorization: `Bearer ${apiKey}` } });

  it('are created by their user and listed once', async () => {
    const answer = await post({ name: 'laptop', expiresIn: '90d' });
    expect(answer.statusCode).toBe(201);
    const { apiKey, ...record } = answer.json<CreatedKey>();
    expect(record).toEqual({
      id: expect.any(String),
      prefix: apiKey.slice(0, 12),
      name: 'laptop',
      organization: null,
      repositories: null,
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: expect.any(String),
    });
    expect(Date.parse(record.expiresAt ?? '') - Date.parse(record.createdAt)).toBe(90 * 86_400_000);
    expect(apiKey).toMatch(/^ock_[\w-]{43}$/);
    const listed = await http.call({ url: list });
    expect(listed.json<{ items: ApiKeyRecord[] }>().items).toContainEqual(record);
    expect(listed.body).not.toContain(apiKey);
    expect(listed.body).not.toMatch(/hash/i);
    expect(http.logged.join()).not.toContain(apiKey);
    expect((await use(apiKey)).statusCode).toBe(200);
  });

  it('do not expire by default', async () => {
    expect((await create('for good')).expiresAt).toBeNull();
    expect((await post({ name: 'null', expiresIn: null })).json()).toMatchObject({ expiresAt: null });
  });

  it('are only those of the caller', async () => {
    const { id } = await create('mine', 'admin');
    expect((await keys('admin')).map((key) => key.id)).toContain(id);
    expect((await keys('member')).map((key) => key.id)).not.toContain(id);
    expect((await keys('owner')).map((key) => key.id)).not.toContain(id);
  });

  it('are listed page by page without duplicates', async () => {
    const ids = [(await create('a')).id, (await create('b')).id, (await create('c')).id];
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await http.call({ url: `${list}?limit=2${cursor && `&cursor=${cursor}`}` });
      const body = page.json<{ items: ApiKeyRecord[]; nextCursor: string | null }>();
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(expect.arrayContaining(ids));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('stop working with the next request when deleted', async () => {
    const { id, apiKey } = await create('short');
    expect((await use(apiKey)).statusCode).toBe(200);
    const remove = () => http.call({ method: 'DELETE', url: `${list}/${id}` });
    const removed = await remove();
    expect([removed.statusCode, removed.body]).toEqual([204, '']);
    expect((await use(apiKey)).statusCode).toBe(401);
    expect((await remove()).statusCode).toBe(404);
    expect((await keys()).map((key) => key.id)).not.toContain(id);
  });

  it.each([
    {},
    { name: '' },
    { name: ' ' },
    { name: 'x'.repeat(101) },
    { name: 'a\u202eb' },
    { name: ['x'] },
    { name: 'x', expiresIn: '90' },
    { name: 'x', expiresIn: 7_776_000 },
    { name: 'x', expiresIn: '0d' },
    { name: 'x', expiresIn: '999999d' },
    { name: 'x', expiresIn: '-1d' },
    { name: 'x', expiresAt: '2100-01-01T00:00:00Z' },
    { name: 'x', prefix: 'ock_mine' },
    { name: 'x', scopes: ['api'] },
  ])('are not created from %j', async (payload) => {
    const before = (await keys()).length;
    expect((await post(payload)).json()).toMatchObject({ status: 400, code: 'validation_failed' });
    expect((await keys()).length).toBe(before);
  });

  // CVE-2025-61928: the owner of a key comes from the credential.
  it.each(['userId', 'user_id', 'user', 'email', 'ownerId', 'organizationId'])(
    'are not created for another user by a field %s of the body',
    async (field) => {
      const before = await keys('owner');
      const { queries } = http.database;
      const users = queries.selectFrom('users').where('email', '=', 'owner@example.com').select('id');
      const { id } = await users.executeTakeFirstOrThrow();
      expect((await post({ name: 'theirs', [field]: id })).json()).toMatchObject({ status: 400 });
      expect(await keys('owner')).toEqual(before);
    },
  );

  it('of other users are treated like unknown keys and not deleted', async () => {
    const adminKey = await create('theirs', 'admin');
    const bodies = new Set<string>();
    for (const id of [adminKey.id, newId(), 'x', '%00']) {
      const answer = await http.call({ method: 'DELETE', url: `${list}/${id}`, as: 'owner' });
      const { requestId, ...body } = answer.json<{ requestId: string }>();
      expect([id, requestId, answer.statusCode]).toEqual([id, expect.any(String), 404]);
      bodies.add(JSON.stringify(body));
    }
    expect(bodies.size).toBe(1);
    expect((await use(adminKey.apiKey)).statusCode).toBe(200);
  });
});

describe('REST: API keys of OAuth clients', async () => {
  const person: { userId?: string; organizationId?: string } = {};
  const http = await useTestHttp({
    verifyAccessToken: async (token) => ({
      principal: {
        userId: person.userId as never,
        email: 'gil@example.com',
        credential: {
          kind: 'oauth',
          grantId: 'g',
          organizationId: person.organizationId as never,
          firstParty: token === 'of-the-command-line',
        },
        scopes: new Set(['api'] as const),
      },
      membership: undefined,
    }),
  });
  const create = (token: string) =>
    http.server.inject({
      method: 'POST',
      url: '/globex/api/v1/api-keys',
      headers: { authorization: `Bearer ${token}` },
      payload: { name: 'backdoor' },
    });
  const made = () =>
    http.database.queries.selectFrom('api_keys').selectAll().where('name', '=', 'backdoor').execute();

  beforeAll(async () => {
    const { id, organization } = await http.database.queries
      .selectFrom('organizations as o')
      .innerJoin('users as u', (join) => join.on('u.email', '=', 'gil@example.com'))
      .where('o.slug', '=', 'globex')
      .select(['u.id', 'o.id as organization'])
      .executeTakeFirstOrThrow();
    Object.assign(person, { userId: id, organizationId: organization });
  });

  it('are not created by third-party clients, because they would outlive the grant', async () => {
    const answer = await create('of-another-client');
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'forbidden', detail: expect.stringContaining('orgctx key add') }),
    ]);
    expect(await made()).toEqual([]);
  });

  it('are created with the login of "orgctx login", for its organization only', async () => {
    expect((await create('of-the-command-line')).statusCode).toBe(201);
    expect(await made()).toEqual([expect.objectContaining({ organization_id: person.organizationId })]);
  });
});
