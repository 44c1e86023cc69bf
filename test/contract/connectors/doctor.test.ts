import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkConnection } from '../../../src/features/doctor/host/connection/check-connection.ts';
import type { ConnectionId } from '../../../src/foundation/kernel/ids.ts';
import { saveSecret } from '../../../src/foundation/secrets/secret-store.ts';
import { toyWebhook } from '../../standins/toy-connector.ts';
import { type ConnectorSetupTest, openConnectorSetup } from '../../support/connectors/connector-setup.ts';
import { setupSteps } from '../../support/connectors/setup-steps.ts';

let test: ConnectorSetupTest;
const { authorized, proposed, statusOf } = setupSteps(() => test);
const secret = 'toy-webhook-secret';

/** A connected connection at a public address, with a webhook secret and a worker that runs. */
async function connected(): Promise<string> {
  const id = await proposed();
  test.githost.merge(test.repository, 1);
  await test.githost.hooks.settled();
  await test.runJobs();
  const { keyring, clock } = test.setup;
  const { queries } = test.database;
  const place = { connectionId: id as ConnectionId, field: 'webhookSecret.one' };
  await saveSecret(queries, keyring, place, secret, clock());
  Object.assign(test.setup, { baseUrl: 'https://ctx.example' });
  const worker = { id: 'w', host: 'here', pid: 1, version: '1', started_at: 0, seen_at: clock() };
  await queries.insertInto('workers').values(worker).execute();
  return id;
}

async function deliver(key: string): Promise<number> {
  const { headers, body } = toyWebhook('box-1', key, { id: 'brick-1' });
  const response = await test.http.server.inject({
    method: 'POST',
    url: '/api/v1/webhook/toy',
    headers: { ...headers, 'content-type': 'application/json' },
    payload: body,
  });
  return response.statusCode;
}

/** Runs the doctor. Returns its status and its checks by id. */
async function examine(id: string) {
  const { signal } = new AbortController();
  const report = await checkConnection({ deps: test.setup, onError: () => undefined, signal }, id);
  const checks = Object.fromEntries(report.checks.map((check) => [check.id, check]));
  return { status: report.status, checks, json: JSON.stringify(report) };
}

describe('doctor of a connection', () => {
  beforeEach(async () => {
    test = await openConnectorSetup();
  });
  afterEach(() => test[Symbol.asyncDispose]());

  it('passes every check of one that works, and prints no secret', async () => {
    const id = await connected();
    expect(await deliver(secret)).toBe(200);
    const { status, checks, json } = await examine(id);
    expect(Object.values(checks).filter((check) => check.status !== 'pass')).toEqual([]);
    expect([status, Object.keys(checks)]).toEqual([
      'ok',
      [
        'state',
        'credentials',
        'write-access',
        'pull-request',
        'scope',
        'webhook-address',
        'deliveries-arrive',
        'deliveries-accepted',
        'jobs',
      ],
    ]);
    expect(checks['scope']?.message).toContain('"red"');
    for (const text of [secret, ...test.provider.tokens]) expect(json).not.toContain(text);
  });

  it('names the first cause of missing edits: deliveries do not arrive', async () => {
    const id = await connected();
    expect((await examine(id)).checks).toMatchObject({
      'deliveries-arrive': {
        status: 'warning',
        message:
          'No webhook has ever arrived. If records were edited, the cause is that deliveries do not arrive.',
        hint: expect.stringContaining('webhooks are turned on for https://ctx.example/api/v1/webhook/toy'),
      },
      'deliveries-accepted': { status: 'skipped' },
      jobs: { status: 'pass' },
    });
    await deliver(secret);
    test.advance(8 * 86_400_000);
    expect((await examine(id)).checks['deliveries-arrive']).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/^No webhook has arrived since .*deliveries do not arrive\.$/),
    });
  });

  it('names the second cause of missing edits: deliveries are rejected', async () => {
    const id = await connected();
    expect([await deliver(secret), await deliver('another secret')]).toEqual([200, 401]);
    await expect.poll(async () => (await statusOf(id))['lastRejectedAt']).not.toBeNull();
    const { status, checks } = await examine(id);
    expect([status, checks]).toMatchObject([
      'failed',
      {
        'deliveries-arrive': { status: 'pass' },
        'deliveries-accepted': {
          status: 'fail',
          message: 'Later edits do not appear because deliveries are rejected (signature_invalid).',
          hint: expect.stringContaining('Save the signing secret'),
        },
        jobs: { status: 'pass' },
      },
    ]);
    test.advance(5_000);
    await test.database.queries
      .updateTable('connections')
      .set({ last_accepted_at: test.setup.clock() })
      .where('id', '=', id)
      .execute();
    expect((await examine(id)).checks['deliveries-accepted']).toMatchObject({ status: 'pass' });
  });

  it('names the third cause of missing edits: jobs fail, or no worker runs', async () => {
    const id = await connected();
    await deliver(secret);
    const { queries } = test.database;
    const failure = { state: 'dead', last_error: 'The brick is broken.' } as const;
    await queries.updateTable('jobs').set(failure).where('task', '=', 'toy-fetch').execute();
    const { status, checks } = await examine(id);
    expect([status, checks]).toMatchObject([
      'failed',
      {
        'deliveries-arrive': { status: 'pass' },
        'deliveries-accepted': { status: 'pass' },
        jobs: {
          status: 'fail',
          message: 'Later edits do not appear because jobs fail: The brick is broken.',
          hint: expect.stringContaining('orgctx jobs retry'),
          evidence: { failed: 1 },
        },
      },
    ]);
    await queries.updateTable('jobs').set({ state: 'ready' }).where('task', '=', 'toy-fetch').execute();
    expect((await examine(id)).checks['jobs']).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('tried again by itself'),
    });
    await queries.deleteFrom('jobs').execute();
    await queries.deleteFrom('workers').execute();
    expect((await examine(id)).checks['jobs']).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('No worker is running'),
    });
  });

  it('finds lost credentials, lost write access, a closed pull request and a private address', async () => {
    const id = await connected();
    test.provider.tokens.clear();
    test.repository.access.set('bot', 'read');
    Object.assign(test.setup, { baseUrl: 'http://127.0.0.1:3000' });
    expect((await examine(id)).checks).toMatchObject({
      credentials: { status: 'fail' },
      'write-access': { status: 'fail', message: expect.stringContaining('permission to write') },
      'webhook-address': { status: 'warning', message: expect.stringContaining('not public') },
    });
  });

  it('skips what a draft does not have, and names the next step', async () => {
    const created = await test.rest('POST', '/connections', { kind: 'toy' });
    const draft = await examine(created.body['id'] as string);
    expect(draft.checks).toMatchObject({
      state: { status: 'warning', hint: 'Go on: "orgctx connector resume toy".' },
      credentials: { status: 'skipped' },
      'write-access': { status: 'skipped' },
      'pull-request': { status: 'skipped' },
      scope: { status: 'skipped' },
    });
    const id = await authorized();
    expect((await examine(id)).checks).toMatchObject({ credentials: { status: 'pass' } });
    await expect(examine('01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10')).rejects.toThrow('There is no connection');
  });

  it('says that an open or a closed pull request must be merged or retried', async () => {
    const id = await proposed();
    expect((await examine(id)).checks).toMatchObject({
      'pull-request': { status: 'warning', hint: 'Merge it to apply its scope.' },
      scope: { status: 'warning' },
    });
    const [pull] = test.repository.pulls;
    if (pull !== undefined) pull.state = 'closed';
    test.advance(30_000);
    await test.poll();
    expect((await examine(id)).checks['pull-request']).toMatchObject({
      status: 'warning',
      hint: 'Run "orgctx connector retry boxes".',
    });
  });
});
