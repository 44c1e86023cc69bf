import type { InjectOptions } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../../../test/support/http/http-server.ts';
import type { Role } from '../../../../features/identity/access/principal.ts';
import { createApiKey } from '../../../../features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../../../features/identity/people/admit-user.ts';
import type { MemberRecord } from '../../../../features/identity/people/member-record.ts';
import { systemClock } from '../../../../foundation/kernel/clock.ts';
import { newId, type UserId } from '../../../../foundation/kernel/ids.ts';

const list = '/acme/api/v1/members';

describe('REST: members', async () => {
  const http = await useTestHttp();
  let number = 0;
  let bob: { readonly id: UserId; readonly email: string; readonly key: string };

  const join = async (role: Role, orgSlug = 'acme') => {
    number += 1;
    const email = `person-${number}@example.com`;
    const deps = { database: http.database, clock: systemClock };
    const { user } = await admitUser(deps, { email, orgSlug, role });
    const request = { userId: user.id, name: 'k' };
    const { apiKey } = await createApiKey(http.database.queries, request, systemClock);
    return { id: user.id, email, key: apiKey };
  };
  const withKey = (key: string, request: InjectOptions) =>
    http.call({ ...request, headers: { authorization: `Bearer ${key}` } });
  const put = (id: string, role: unknown, as: Role = 'admin') =>
    http.call({ method: 'PUT', url: `${list}/${id}`, payload: { role }, as });
  const remove = (id: string, as: Role = 'admin') =>
    http.call({ method: 'DELETE', url: `${list}/${id}`, as });
  const member = async (email: string): Promise<MemberRecord | undefined> => {
    const answer = await http.call({ url: `${list}?limit=200`, as: 'admin' });
    return answer.json<{ items: MemberRecord[] }>().items.find((one) => one.email === email);
  };

  beforeEach(async () => {
    bob = await join('member');
  });

  it('are listed with their roles, in the format of the contract', async () => {
    expect(await member(bob.email)).toEqual({
      userId: bob.id,
      email: bob.email,
      name: expect.any(String),
      role: 'member',
      disabled: false,
      joinedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await member('gil@example.com')).toBeUndefined();
  });

  it('are listed page by page without duplicates', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await http.call({ url: `${list}?limit=2${cursor && `&cursor=${cursor}`}`, as: 'admin' });
      const body = page.json<{ items: MemberRecord[]; nextCursor: string | null }>();
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map(({ email }) => email));
      cursor = body.nextCursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining([bob.email, 'owner@example.com', 'member@example.com']));
  });

  it('get a new role that applies from their next request', async () => {
    expect((await withKey(bob.key, { url: list })).statusCode).toBe(403);
    expect((await put(bob.id, 'admin')).json()).toMatchObject({ userId: bob.id, role: 'admin' });
    expect((await withKey(bob.key, { url: list })).statusCode).toBe(200);
  });

  it('lose access with their next request when removed', async () => {
    expect((await withKey(bob.key, { url: '/acme/api/v1/repositories' })).statusCode).toBe(200);
    const removed = await remove(bob.id);
    expect([removed.statusCode, removed.body]).toEqual([204, '']);
    expect((await withKey(bob.key, { url: '/acme/api/v1/repositories' })).statusCode).toBe(403);
    expect((await remove(bob.id)).statusCode).toBe(404);
  });

  it('may leave, but cannot remove others', async () => {
    const ann = await join('member');
    const url = `${list}/${ann.id}`;
    expect((await withKey(bob.key, { method: 'DELETE', url })).json()).toMatchObject({ code: 'forbidden' });
    expect((await withKey(bob.key, { method: 'DELETE', url: `${list}/${bob.id}` })).statusCode).toBe(204);
    expect(await member(ann.email)).toBeDefined();
    expect(await member(bob.email)).toBeUndefined();
  });

  it('reveal nothing to members in error responses', async () => {
    const gil = await join('owner', 'globex');
    const ann = await join('member');
    const bodies = new Set<string>();
    for (const id of [ann.id, gil.id, newId()]) {
      const answer = await withKey(bob.key, { method: 'DELETE', url: `${list}/${id}` });
      const { requestId, ...body } = answer.json<{ requestId: string }>();
      expect(requestId).toEqual(expect.any(String));
      bodies.add(JSON.stringify(body));
    }
    expect([...bodies]).toEqual([expect.stringContaining('"forbidden"')]);
  });

  it('can be made owners by owners only', async () => {
    expect((await put(bob.id, 'owner', 'admin')).json()).toMatchObject({ code: 'forbidden' });
    expect((await put(bob.id, 'owner', 'owner')).json()).toMatchObject({ role: 'owner' });
    expect((await put(bob.id, 'member', 'admin')).json()).toMatchObject({ code: 'forbidden' });
    expect((await remove(bob.id, 'admin')).json()).toMatchObject({ code: 'forbidden' });
    expect((await put(bob.id, 'admin', 'owner')).json()).toMatchObject({ role: 'admin' });
  });

  it('include the last owner, who cannot be removed or changed', async () => {
    const owner = (await member('owner@example.com'))?.userId ?? '';
    expect((await put(owner, 'admin', 'owner')).json()).toMatchObject({ status: 409, code: 'conflict' });
    expect((await remove(owner, 'owner')).json()).toMatchObject({ status: 409, code: 'conflict' });
    expect(await member('owner@example.com')).toMatchObject({ role: 'owner' });
  });

  it.each([
    {},
    { role: 'king' },
    { role: ['owner'] },
    { role: null },
    { role: 'admin', userId: 'other' },
    { role: 'admin', organizationId: 'other' },
  ])('keep their role for %j', async (payload) => {
    const answer = await http.call({ method: 'PUT', url: `${list}/${bob.id}`, payload, as: 'owner' });
    expect(answer.json()).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(await member(bob.email)).toMatchObject({ role: 'member' });
  });

  it('of other organizations are treated like unknown ones', async () => {
    const gil = await join('member', 'globex');
    const bodies = new Set<string>();
    for (const id of [gil.id, newId(), 'x', '%00', "'%20or%201=1"]) {
      for (const answer of [await put(id, 'admin', 'owner'), await remove(id, 'owner')]) {
        const { requestId, ...body } = answer.json<{ requestId: string }>();
        expect([id, requestId, answer.statusCode]).toEqual([id, expect.any(String), 404]);
        bodies.add(JSON.stringify(body));
      }
    }
    expect(bodies.size).toBe(1);
  });
});
