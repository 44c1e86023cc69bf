import { beforeEach, describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../../../test/support/http/http-server.ts';
import type { AuditRecord } from '../../../../features/identity/audit/audit-record.ts';
import { recordAudit } from '../../../../features/identity/audit/audit-store.ts';
import { findOrganization } from '../../../../features/identity/people/organization-store.ts';

const list = '/acme/api/v1/audit';

describe('REST: the audit log', async () => {
  const http = await useTestHttp();
  const { queries } = http.database;
  let now = Date.UTC(2026, 10, 21);

  const record = async (slug: string, action: string): Promise<void> => {
    const organization = await findOrganization(queries, slug);
    const organizationId = organization?.id ?? null;
    const actor = {
      kind: 'user',
      userId: 'u' as never,
      email: 'ada@example.com',
      credential: 'session',
    } as const;
    now += 1;
    await recordAudit(
      queries,
      { organizationId, actor, action, target: 't', details: { role: 'admin' } },
      now,
    );
  };
  const actions = async (url = list) => {
    const answer = await http.call({ url, as: 'admin' });
    return answer.json<{ items: AuditRecord[] }>().items.map(({ action }) => action);
  };

  beforeEach(async () => {
    await queries.deleteFrom('audit_events').execute();
  });

  it('contains the address of the caller', async () => {
    const made = await http.call({
      method: 'POST',
      url: '/acme/api/v1/api-keys',
      payload: { name: 'laptop' },
      remoteAddress: '192.0.2.7',
    });
    expect(made.statusCode).toBe(201);
    const { items } = (await http.call({ url: list, as: 'admin' })).json<{ items: AuditRecord[] }>();
    expect(items).toEqual([expect.objectContaining({ action: 'api-key.created', address: '192.0.2.7' })]);
  });

  it('names what was done to a repository, and by whom', async () => {
    const source = 'https://git.example/team/shop.git';
    const url = '/acme/api/v1/repositories';
    const call = (method: 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) =>
      http.call({ method, url: `${url}${path}`, as: 'admin', ...(payload && { payload }) });
    const { id } = (await call('POST', '', { source })).json<{ id: string }>();
    await call('PATCH', `/${id}`, { branch: 'main' });
    await call('POST', `/${id}/sync`);
    // Neither a refused request nor a repeated removal is recorded.
    for (const path of ['', '', '/x/sync']) await call('POST', path, { source, branch: 'main' });
    await call('DELETE', `/${id}`);
    await call('DELETE', `/${id}`);
    await call('POST', `/${id}/sync`);

    const { items } = (await http.call({ url: list, as: 'admin' })).json<{ items: AuditRecord[] }>();
    expect(items.map(({ action }) => action)).toEqual([
      'repository.removed',
      'repository.synced',
      'repository.changed',
      'repository.added',
    ]);
    for (const { actor, target, details } of items) {
      expect(actor).toMatchObject({ kind: 'user', email: expect.any(String), userId: expect.any(String) });
      expect([actor.credential, target]).toEqual([expect.stringMatching(/^api-key /), id]);
      expect(details['name']).toBe('team/shop');
    }
    expect(items[2]?.details).toMatchObject({ branch: 'main' });
    expect(items[3]?.details['source']).toContain('git.example/team/shop');
  });

  it('lists events newest first, in the format of the contract', async () => {
    await record('acme', 'member.added');
    await record('acme', 'member.removed');
    const answer = await http.call({ url: list, as: 'admin' });
    const page = answer.json<{ items: AuditRecord[]; nextCursor: string | null }>();
    expect(page.items[0]).toEqual({
      id: expect.any(String),
      at: new Date(now).toISOString(),
      actor: { kind: 'user', userId: 'u', email: 'ada@example.com', credential: 'session' },
      action: 'member.removed',
      target: 't',
      details: { role: 'admin' },
      address: null,
    });
    expect(await actions()).toEqual(['member.removed', 'member.added']);
    expect(page.nextCursor).toBeNull();
  });

  it('is listed page by page without duplicates while events are added', async () => {
    for (const action of ['a.1', 'a.2', 'a.3', 'a.4', 'a.5']) await record('acme', action);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await http.call({ url: `${list}?limit=2${cursor && `&cursor=${cursor}`}`, as: 'admin' });
      const body = page.json<{ items: AuditRecord[]; nextCursor: string | null }>();
      seen.push(...body.items.map(({ action }) => action));
      cursor = body.nextCursor;
      await record('acme', 'a.later');
    }
    expect(seen).toEqual(['a.5', 'a.4', 'a.3', 'a.2', 'a.1']);
    expect((await http.call({ url: `${list}?cursor=x`, as: 'admin' })).json()).toMatchObject({
      code: 'validation_failed',
    });
  });

  it('is visible to admins and owners of the organization only', async () => {
    await record('globex', 'globex.done');
    await record('none', 'nobody.done');
    expect((await http.call({ url: list, as: 'member' })).json()).toMatchObject({ code: 'forbidden' });
    expect(await actions()).toEqual([]);
    const globexAudit = await http.call({ url: '/globex/api/v1/audit', as: 'gil' });
    expect(globexAudit.json<{ items: AuditRecord[] }>().items.map(({ action }) => action)).toEqual([
      'globex.done',
    ]);
  });

  it.each(['PUT', 'POST', 'DELETE', 'PATCH'] as const)(
    'refuses %s, because events cannot be changed',
    async (method) => {
      await record('acme', 'member.added');
      expect((await http.call({ method, url: list, as: 'owner' })).statusCode).toBeOneOf([404, 405]);
      expect(await actions()).toEqual(['member.added']);
    },
  );
});
