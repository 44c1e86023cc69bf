import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedConnectorJobs } from '../../../src/features/connectors/jobs.ts';
import { beginAuthorization } from '../../../src/features/connectors/setup/authorize-connection.ts';
import { listScopeOptions } from '../../../src/features/connectors/setup/fresh-tokens.ts';
import { readTokens } from '../../../src/features/connectors/setup/provider-access.ts';
import { removeConnection } from '../../../src/features/connectors/setup/remove-connection.ts';
import { jobContext } from '../../support/jobs/job-context.ts';
import { runReadyJobs } from '../../support/jobs/run-ready-jobs.ts';
import {
  type OncallConnection,
  type OncallService,
  openOncallService,
} from '../../support/oncall/oncall-service.ts';

const { signal } = new AbortController();
const dayMs = 86_400_000;

let service: OncallService;

beforeEach(async () => {
  service = await openOncallService();
});

afterEach(async () => {
  const strays = service.oncall.strays();
  await service[Symbol.asyncDispose]();
  expect(strays).toEqual([]);
});

const tokensOf = ({ id }: OncallConnection) =>
  readTokens(service.database.queries, service.setup.keyring, id);

describe('authorizing an oncall account', () => {
  it('asks for exactly the five scopes, with PKCE', async () => {
    const { scope, id } = await service.draft();
    const url = new URL(await beginAuthorization(service.setup, scope, id, signal));
    expect(url.searchParams.get('scope')?.split(' ').toSorted()).toEqual([
      'incidents.read',
      'services.read',
      'users.read',
      'webhook_subscriptions.read',
      'webhook_subscriptions.write',
    ]);
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    expect(url.searchParams.get('redirect_uri')).toMatch(/\/api\/v1\/integrations\/oncall\/callback$/);
  });

  it.each([
    ['us', false, 'acme.oncall.test'],
    ['eu', false, 'acme-europe.eu.oncall.test'],
    // The US host answers for the account, but its address tells the region.
    ['eu', true, 'acme-europe.eu.oncall.test'],
  ] as const)(
    'finds the region %s by the address of the user (forwarded: %s)',
    async (region, forwards, host) => {
      service.oncall.rest.forwards = forwards;
      const connection = await service.draft(region);
      await connection.authorize();
      expect(await connection.row()).toMatchObject({
        state: 'authorized',
        account: { id: host, url: `https://${host}` },
      });
      service.oncall.calls.length = 0;
      await listScopeOptions(service.setup, connection.scope, connection.id, { limit: 10 }, signal);
      expect(service.oncall.calls).toEqual([expect.stringMatching(`^${region} GET /services`)]);
    },
  );

  it('fails closed if the address of the user is of no known region', async () => {
    const connection = await service.draft();
    for (const webOrigin of ['https://acme.oncall.test.evil.example', 'https://169.254.169.254', 'nothing']) {
      connection.account.webOrigin = webOrigin;
      await expect(connection.authorize()).rejects.toThrow(/no known region/);
    }
    expect(await tokensOf(connection)).toBeUndefined();
    expect((await connection.row()).state).toBe('draft');
    expect(connection.subscriptions.all).toEqual([]);
  });

  it('names the scopes that were not granted, and saves nothing', async () => {
    const connection = await service.draft();
    service.oncall.oauth.missingScopes.add('users.read').add('webhook_subscriptions.write');
    await expect(connection.authorize()).rejects.toThrow(
      /did not grant users\.read, webhook_subscriptions\.write\. Add them/,
    );
    expect(await tokensOf(connection)).toBeUndefined();
  });

  it('is refused after the 30 seconds of a code, and when the person declines', async () => {
    const connection = await service.draft();
    service.oncall.beforeAnswer = (call) => {
      if (call.includes('/oauth/token')) connection.account.advance(31_000);
    };
    await expect(connection.authorize()).rejects.toThrow(/invalid_grant.*Start the authorization again/);
    service.oncall.oauth.decision = 'deny';
    await expect(connection.authorize()).rejects.toThrow(/access_denied/);
  });

  it('refuses a second connection of the account in the organization with 409, which stays a draft', async () => {
    const [first, second, other] = [
      await service.draft(),
      await service.draft(),
      await service.draft('us', 'another-organization'),
    ];
    await first.authorize();
    await expect(second.authorize()).rejects.toMatchObject({ status: 409, code: 'conflict' });
    expect((await second.row()).state).toBe('draft');
    await other.authorize();
    expect((await other.row()).state).toBe('authorized');
  });
});

describe('the tokens of an oncall account', () => {
  it('are kept alive without work to do, and end a year after the authorization', async () => {
    const connection = await service.draft();
    await connection.authorize();
    const { reauthorizeBy = 0 } = await connection.row();
    expect(reauthorizeBy - service.setup.clock()).toBeGreaterThan(364 * dayMs);
    const keepAlive = service.handlers.find(({ task }) => task.name === 'oncall-keep-alive');
    for (let week = 0; week < 8; week += 1) {
      service.advance(7 * dayMs);
      await keepAlive?.run([{ id: 'job', payload: {} }], jobContext());
      await service.run();
    }
    expect(service.oncall.oauth.counts).toEqual({ refreshed: 8, reused: 0 });
    expect((await connection.row()).state).toBe('authorized');
  });

  it('end if nobody refreshes them for 30 days: the connection is disconnected and says what to do', async () => {
    const connection = await service.draft();
    await connection.authorize();
    await connection.configure([connection.account.addService('Shop').id]);
    service.advance(31 * dayMs);
    await connection.sync();
    expect(await connection.row()).toMatchObject({
      state: 'disconnected',
      error: { code: 'authorization_lost', message: expect.stringMatching(/Authorize it again/) as string },
    });
  });
});

describe('the services to choose from', () => {
  it('are searched at the provider and paged, up to as many as it lists', async () => {
    const connection = await service.draft();
    for (let n = 0; n < 250; n += 1) connection.account.addService(`Service ${String(n).padStart(3, '0')}`);
    connection.account.addService('Checkout', { description: 'Takes the money' });
    await connection.authorize();
    const list = (request: { query?: string; cursor?: string; limit: number }) =>
      listScopeOptions(service.setup, connection.scope, connection.id, request, signal);
    expect((await list({ query: 'checkout', limit: 50 })).items).toEqual([
      expect.objectContaining({ kind: 'service', name: 'Checkout', description: 'Takes the money' }),
    ]);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ limit: 100, ...(cursor !== undefined && { cursor }) });
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(names).size).toBe(251);
    await expect(list({ limit: 50, cursor: 'x' })).rejects.toThrow(/cursor/);
  });

  it('are none for an account without services', async () => {
    const connection = await service.draft();
    await connection.authorize();
    const page = await listScopeOptions(service.setup, connection.scope, connection.id, { limit: 5 }, signal);
    expect(page).toEqual({ items: [], nextCursor: undefined });
  });
});

describe('removing an oncall connection', () => {
  it('deletes its subscription at the provider, and no other', async () => {
    const [connection, other] = [await service.draft(), await service.draft('us', 'another-organization')];
    await connection.authorize();
    await other.authorize();
    expect(connection.subscriptions.all).toHaveLength(2);
    const { database, setup } = service;
    await removeConnection(setup, connection.scope, { kind: 'system' }, connection.id);
    const deps = { ...setup, dataDir: setup.git.dataDir, syncIntervalMs: 900_000 };
    await runReadyJobs(database, sharedConnectorJobs(deps).handlers);
    expect(connection.subscriptions.all.map(({ description }) => description)).toEqual([
      expect.stringContaining((await other.row()).name),
    ]);
  });
});
