import { beforeEach, describe, expect, it } from 'vitest';
import { publicOrigin, useTestHttp } from '../../../../../test/support/http/http-server.ts';
import type { ConnectionRecord } from '../../../../features/connectors/connections/connection-record.ts';

const list = '/acme/api/v1/connections';

describe('REST: connections', async () => {
  const http = await useTestHttp();

  const post = (payload: object, as: 'admin' | 'member' = 'admin') =>
    http.call({ method: 'POST', url: list, payload, as });
  const putApp = (id: string, payload: object | string) =>
    http.call({ method: 'PUT', url: `${list}/${id}/app`, payload, as: 'admin' });

  let count = 0;
  async function draft(kind: 'tracker' | 'oncall' = 'tracker'): Promise<ConnectionRecord> {
    count += 1;
    const answer = await post({ kind, name: `draft ${count}` });
    expect(answer.statusCode).toBe(201);
    return answer.json();
  }

  it('creates a draft before any account is authorized, with its redirect and webhook URLs', async () => {
    const answer = await post({ kind: 'tracker' });
    expect(answer.statusCode).toBe(201);
    const record = answer.json<ConnectionRecord>();
    expect(record).toEqual({
      id: expect.any(String),
      kind: 'tracker',
      name: 'tracker',
      state: 'draft',
      stateLabel: 'Not authorized yet',
      appConfigured: false,
      webhookSecretConfigured: false,
      account: null,
      binding: null,
      pullRequest: null,
      redirectUri: `${publicOrigin}/api/v1/integrations/tracker/callback`,
      webhookUrl: `${publicOrigin}/api/v1/webhook/tracker`,
      lastAcceptedAt: null,
      lastRejectedAt: null,
      lastSyncAt: null,
      nextCheckAt: null,
      reauthorizeBy: null,
      progress: null,
      counts: { mirrored: 0, pending: 0, failed: 0 },
      error: null,
      errors: [],
    });
    for (const path of ['', '/status']) {
      expect((await http.call({ url: `${list}/${record.id}${path}` })).json()).toEqual(record);
    }
  });

  it('saves the app of a draft, and shows that it is configured but never its values', async () => {
    const { id } = await draft();
    const app = { clientId: 'client-1', clientSecret: 'hush-client-1', webhookSecret: 'hush-of-webhook-1' };
    const answer = await putApp(id, app);
    expect([answer.statusCode, answer.json<ConnectionRecord>()]).toEqual([
      200,
      expect.objectContaining({ state: 'draft', appConfigured: true, webhookSecretConfigured: true }),
    ]);
    const responses = [
      answer,
      await http.call({ url: `${list}/${id}` }),
      await http.call({ url: `${list}?limit=200` }),
    ];
    for (const { body } of responses) expect(body).not.toMatch(/hush|client-1/);
    expect(http.logged.join()).not.toContain('hush');
    const stored = await http.database.queries.selectFrom('connection_secrets').selectAll().execute();
    expect(stored.map(({ field }) => field).toSorted()).toEqual(['clientSecret', 'webhookSecret']);
    expect(JSON.stringify(stored)).not.toContain('hush');
  });

  it('keeps the webhook secret for the same app and deletes it for another', async () => {
    const { id } = await draft();
    await putApp(id, { clientId: 'a', clientSecret: 's', webhookSecret: 'w'.repeat(16) });
    const again = await putApp(id, { clientId: 'a', clientSecret: 's2' });
    expect(again.json()).toMatchObject({ appConfigured: true, webhookSecretConfigured: true });
    const other = await putApp(id, { clientId: 'b', clientSecret: 's3' });
    expect(other.json()).toMatchObject({ appConfigured: true, webhookSecretConfigured: false });
  });

  it('refuses a webhook secret for oncall, with a reason', async () => {
    const { id } = await draft('oncall');
    const refused = await putApp(id, { clientId: 'a', clientSecret: 's', webhookSecret: 'w' });
    expect(refused.json()).toMatchObject({
      status: 400,
      code: 'validation_failed',
      errors: [{ path: '/webhookSecret', message: expect.stringContaining('each subscription') }],
    });
    const record = (await http.call({ url: `${list}/${id}` })).json<ConnectionRecord>();
    expect([record.appConfigured, record.webhookSecretConfigured]).toEqual([false, false]);
    expect((await putApp(id, { clientId: 'a', clientSecret: 's' })).json()).toMatchObject({
      appConfigured: true,
    });
  });

  it('refuses a second connection with the same kind and name, and keeps the first', async () => {
    const { id, name } = await draft();
    const duplicate = await post({ kind: 'tracker', name: `  ${name} ` });
    expect(duplicate.json()).toMatchObject({
      status: 409,
      code: 'conflict',
      detail: expect.stringContaining(name),
    });
    expect((await post({ kind: 'oncall', name })).statusCode).toBe(201);
    expect((await http.call({ url: `${list}/${id}` })).statusCode).toBe(200);
  });

  it.each(['sync', 'rebuild'])(
    'refuses a %s before the setup has ended, and says what to do',
    async (work) => {
      const { id, name } = await draft();
      const start = () => http.call({ method: 'POST', url: `${list}/${id}/${work}`, as: 'admin' });
      const { queries } = http.database;
      for (const [state, reason] of [
        ['draft', `${name} is not connected (Not authorized yet). Finish its setup first: `],
        ['disconnected', `${name} is not connected (Disconnected). Authorize its account again first: `],
      ] as const) {
        await queries.updateTable('connections').set({ state }).where('id', '=', id).execute();
        const detail = `${reason}"orgctx connector resume ${name}", or the page Connections.`;
        expect((await start()).json()).toMatchObject({ status: 409, code: 'conflict', detail });
      }
      expect(await queries.selectFrom('jobs').select('task').execute()).toEqual([]);
    },
  );

  it('deletes a connection and its secrets', async () => {
    const { id } = await draft();
    await putApp(id, { clientId: 'a', clientSecret: 'hush' });
    const remove = () => http.call({ method: 'DELETE', url: `${list}/${id}`, as: 'admin' });
    const removed = await remove();
    expect([removed.statusCode, removed.body]).toEqual([204, '']);
    expect((await http.call({ url: `${list}/${id}` })).statusCode).toBe(404);
    const { queries } = http.database;
    const left = await queries
      .selectFrom('connection_secrets')
      .where('connection_id', '=', id)
      .selectAll()
      .execute();
    expect(left).toEqual([]);
    expect((await remove()).statusCode).toBe(404);
  });

  it('lists page by page, oldest first, without duplicates', async () => {
    const ids = [(await draft()).id, (await draft()).id, (await draft()).id];
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await http.call({ url: `${list}?limit=2${cursor && `&cursor=${cursor}`}` });
      const body = page.json<{ items: ConnectionRecord[]; nextCursor: string | null }>();
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    expect(seen.slice(-3)).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
  });

  describe('an invalid request', () => {
    let id: string;
    beforeEach(async () => {
      ({ id } = await draft());
    });

    it.each([
      {},
      { kind: 'githost' },
      { kind: 'tracker', name: '' },
      { kind: 'tracker', name: ' ' },
      { kind: 'tracker', name: 'x'.repeat(101) },
      { kind: 'tracker', name: 'a\u202eb' },
      { kind: 'tracker', name: 1 },
      { kind: 'tracker', state: 'connected' },
      { kind: 'tracker', organizationId: 'other', name: 'mass' },
      { kind: 'tracker', id: '01960000-0000-7000-8000-000000000000', name: 'mass' },
      { kind: 'tracker', accountId: 'theirs', name: 'mass' },
    ])('creates no connection from %j', async (payload) => {
      const before = (await http.call({ url: `${list}?limit=200` })).body;
      const answer = await post(payload);
      expect(answer.json()).toMatchObject({
        status: 400,
        code: 'validation_failed',
        errors: [expect.anything()],
      });
      expect((await http.call({ url: `${list}?limit=200` })).body).toBe(before);
    });

    it.each([
      {},
      { clientId: 'a' },
      { clientId: 'a', clientSecret: '' },
      { clientId: '', clientSecret: 'hunter2' },
      { clientId: 'a', clientSecret: 'hunter2\n' },
      { clientId: 'a', clientSecret: ' hunter2' },
      { clientId: 'a', clientSecret: 'hunter2\ud800' },
      { clientId: 'a', clientSecret: 'hunter2'.repeat(1000) },
      { clientId: 'a', clientSecret: ['hunter2'] },
      { clientId: 'a', clientSecret: { hunter2: 1 } },
      { clientId: 'a', clientSecret: 'hunter2', webhookSecret: '' },
      { clientId: 'a', clientSecret: 'hunter2', state: 'connected' },
      { clientId: 'a', clientSecret: 'hunter2', kind: 'oncall' },
      { clientId: 'a', clientSecret: 'hunter2', refreshToken: 'hunter2' },
    ])('does not save the app %j, and quotes no value', async (payload) => {
      const answer = await putApp(id, payload);
      expect(answer.json()).toMatchObject({ status: 400, code: 'validation_failed' });
      expect(answer.body).not.toContain('hunter2');
      expect((await http.call({ url: `${list}/${id}` })).json()).toMatchObject({ appConfigured: false });
      expect(http.logged.join()).not.toContain('hunter2');
    });

    it.each([
      '{"clientId":"a","clientSecret":"hunter2',
      'hunter2',
      '["hunter2"]',
      '{"__proto__":{"x":"hunter2"}}',
    ])('quotes nothing of the body %s', async (payload) => {
      const headers = { 'content-type': 'application/json' };
      const url = `${list}/${id}/app`;
      const answer = await http.call({ method: 'PUT', url, payload, headers, as: 'admin' });
      expect(answer.statusCode).toBe(400);
      expect(answer.body).not.toContain('hunter2');
      expect(http.logged.join()).not.toContain('hunter2');
    });
  });

  it('lets members read and only admins write', async () => {
    const { id } = await draft();
    const writes = [
      { method: 'POST' as const, url: list, payload: { kind: 'tracker', name: 'theirs' } },
      { method: 'PUT' as const, url: `${list}/${id}/app`, payload: { clientId: 'a', clientSecret: 's' } },
      { method: 'DELETE' as const, url: `${list}/${id}` },
    ];
    for (const request of writes) {
      expect((await http.call({ ...request, as: 'member' })).json()).toMatchObject({
        status: 403,
        code: 'forbidden',
      });
    }
    expect((await http.call({ url: `${list}/${id}` })).json()).toMatchObject({ appConfigured: false });
  });

  it('responds identically for an unknown id, one of another organization, and an invalid one', async () => {
    const { id } = await draft();
    const unknown = '01960000-0000-7000-8000-000000000000';
    const cases = [
      { url: `/globex/api/v1/connections/${id}`, as: 'gil' as const },
      ...[unknown, 'x', '%00', '..%2f..%2fetc', "'%20or%201=1"].map((bad) => ({
        url: `${list}/${bad}`,
        as: 'owner' as const,
      })),
    ];
    const bodies = new Set<string>();
    for (const { url, as } of cases) {
      for (const request of [
        { url },
        { url: `${url}/status` },
        { url, method: 'DELETE' as const },
        { url: `${url}/app`, method: 'PUT' as const, payload: { clientId: 'a', clientSecret: 's' } },
      ]) {
        const answer = await http.call({ ...request, as });
        const { requestId, ...body } = answer.json<{ requestId: string }>();
        expect([request, requestId, answer.statusCode]).toEqual([request, expect.any(String), 404]);
        bodies.add(JSON.stringify(body));
      }
    }
    expect(bodies.size).toBe(1);
    expect((await http.call({ url: '/globex/api/v1/connections', as: 'gil' })).json()).toMatchObject({
      items: [],
    });
    expect((await http.call({ url: `${list}/${id}` })).json()).toMatchObject({ appConfigured: false });
  });
});

describe('REST: connections of a deployment with its own apps', async () => {
  const http = await useTestHttp({
    connections: {
      baseUrl: publicOrigin,
      providerSettings: {
        TRACKER_CLIENT_ID: 'deployment',
        TRACKER_CLIENT_SECRET: 'hush-1',
        TRACKER_WEBHOOK_SECRET: 'hush-2',
        TRACKER_REDIRECT_URI: 'https://Edge.example:443/cb/?a=%7e',
        ONCALL_CLIENT_ID: 'deployment',
      },
    },
  });

  it('reports the app of the deployment as configured, and the redirect override unchanged', async () => {
    const answer = await http.call({ method: 'POST', url: list, payload: { kind: 'tracker' }, as: 'admin' });
    expect(answer.json()).toMatchObject({
      appConfigured: true,
      webhookSecretConfigured: true,
      redirectUri: 'https://Edge.example:443/cb/?a=%7e',
    });
    expect(answer.body).not.toContain('hush');
  });

  it('treats a client id without its secret as not configured', async () => {
    const answer = await http.call({ method: 'POST', url: list, payload: { kind: 'oncall' }, as: 'admin' });
    expect(answer.json()).toMatchObject({ appConfigured: false, webhookSecretConfigured: false });
  });
});
