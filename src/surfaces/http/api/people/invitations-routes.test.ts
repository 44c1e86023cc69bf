import { describe, expect, it } from 'vitest';
import { publicOrigin, useTestHttp } from '../../../../../test/support/http/http-server.ts';
import type { Role } from '../../../../features/identity/access/principal.ts';
import type { InvitationRecord } from '../../../../features/identity/invitations/invitation-record.ts';
import { newId } from '../../../../foundation/kernel/ids.ts';

const list = '/acme/api/v1/invitations';

describe('REST: invitations', async () => {
  const http = await useTestHttp();
  let number = 0;

  const address = (): string => {
    number += 1;
    return `guest-${number}@example.com`;
  };
  const post = (payload: object, as: Role = 'admin') => http.call({ method: 'POST', url: list, payload, as });
  const invite = async (email = address()) => {
    const answer = await post({ email, role: 'member' });
    return answer.json<InvitationRecord & { readonly link: string }>();
  };
  const open = async (): Promise<readonly InvitationRecord[]> => {
    const answer = await http.call({ url: `${list}?limit=200`, as: 'admin' });
    return answer.json<{ items: InvitationRecord[] }>().items;
  };

  it('are created with a link that is shown once', async () => {
    const email = address();
    const answer = await post({ email: email.toUpperCase(), role: 'admin' });
    expect(answer.statusCode).toBe(201);
    const { link, ...record } = answer.json<InvitationRecord & { link: string }>();
    expect(record).toEqual({
      id: expect.any(String),
      email,
      role: 'admin',
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(record.expiresAt) - Date.parse(record.createdAt)).toBe(7 * 86_400_000);
    expect(link).toMatch(new RegExp(`^${publicOrigin}/\\.auth/invitation/[\\w-]{43}$`));
    expect((await http.call({ url: list, as: 'admin' })).body).not.toContain(link.split('/').at(-1));
    expect(http.logged.join()).not.toContain(link.split('/').at(-1));
    expect(await open()).toContainEqual(record);
  });

  it('of the same address replace the previous one', async () => {
    const first = await invite();
    const second = await invite(first.email);
    const ids = (await open()).filter(({ email }) => email === first.email).map(({ id }) => id);
    expect(ids).toEqual([second.id]);
    expect(second.link).not.toBe(first.link);
  });

  it('are listed page by page without duplicates', async () => {
    const ids = [(await invite()).id, (await invite()).id, (await invite()).id];
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await http.call({ url: `${list}?limit=2${cursor && `&cursor=${cursor}`}`, as: 'admin' });
      const body = page.json<{ items: InvitationRecord[]; nextCursor: string | null }>();
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(expect.arrayContaining(ids));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('are withdrawn once', async () => {
    const { id } = await invite();
    const remove = () => http.call({ method: 'DELETE', url: `${list}/${id}`, as: 'admin' });
    const removed = await remove();
    expect([removed.statusCode, removed.body]).toEqual([204, '']);
    expect((await remove()).statusCode).toBe(404);
    expect((await open()).map((one) => one.id)).not.toContain(id);
  });

  it('are for admins, and those of owners for owners only', async () => {
    const { id } = await invite();
    for (const request of [
      { url: list },
      { method: 'POST' as const, url: list, payload: { email: address(), role: 'member' } },
      { method: 'DELETE' as const, url: `${list}/${id}` },
    ]) {
      expect((await http.call({ ...request, as: 'member' })).json()).toMatchObject({ code: 'forbidden' });
    }
    const owner = { email: address(), role: 'owner' };
    expect((await post(owner, 'admin')).json()).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await post(owner, 'owner')).json()).toMatchObject({ role: 'owner' });
  });

  it.each([
    {},
    { email: 'a@example.com' },
    { email: 'nobody', role: 'member' },
    { email: `${'a'.repeat(300)}@example.com`, role: 'member' },
    { email: ['a@example.com'], role: 'member' },
    { email: 'a@example.com', role: 'king' },
    { email: 'a@example.com', role: 'member', organizationId: 'other' },
    { email: 'a@example.com', role: 'member', invitedBy: 'other' },
    { email: 'a@example.com', role: 'member', expiresAt: '2100-01-01T00:00:00Z' },
  ])('are not created from %j', async (payload) => {
    const before = await open();
    expect((await post(payload, 'owner')).json()).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(await open()).toEqual(before);
  });

  it('of other organizations are treated like unknown ones', async () => {
    const { id } = await invite();
    const bodies = new Set<string>();
    const cases = [
      { url: `/globex/api/v1/invitations/${id}`, as: 'gil' as const },
      ...[newId(), 'x', '%00'].map((bad) => ({ url: `${list}/${bad}`, as: 'owner' as const })),
    ];
    for (const request of cases) {
      const answer = await http.call({ method: 'DELETE', ...request });
      const { requestId, ...body } = answer.json<{ requestId: string }>();
      expect([request, requestId, answer.statusCode]).toEqual([request, expect.any(String), 404]);
      bodies.add(JSON.stringify(body));
    }
    expect(bodies.size).toBe(1);
    expect((await open()).map((one) => one.id)).toContain(id);
  });
});
