import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHealth } from '../../../src/features/connectors/health/connection-health.ts';
import { oncallSubscribe } from '../../../src/features/connectors/oncall/tasks.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { readSyncError } from '../../support/connectors/sync-error.ts';
import {
  type OncallConnection,
  type OncallService,
  openOncallService,
} from '../../support/oncall/oncall-service.ts';

let service: OncallService;

beforeEach(async () => {
  service = await openOncallService();
});

afterEach(async () => {
  const { rest } = service.oncall;
  const strays = service.oncall.strays();
  await service[Symbol.asyncDispose]();
  expect(strays).toEqual([]);
  // Nothing else is ever written to the provider.
  expect(rest.writes.filter((call) => !/ \/webhook_subscriptions(?:\/|$)/.test(call))).toEqual([]);
});

async function connected(): Promise<OncallConnection> {
  const connection = await service.draft();
  await connection.authorize();
  await connection.configure([connection.account.addService('Shop').id]);
  return connection;
}

const secretFields = async ({ id }: OncallConnection): Promise<readonly string[]> =>
  (
    await service.database.queries
      .selectFrom('connection_secrets')
      .select('field')
      .where('connection_id', '=', id)
      .where('field', 'like', 'webhookSecret%')
      .execute()
  ).map(({ field }) => field);

/** Sends an incident and returns how the service answered. */
async function answered({ account, subscriptions }: OncallConnection): Promise<number | undefined> {
  const service1 = account.services[0] ?? account.addService('Shop');
  account.incidents.trigger(service1);
  await subscriptions.settled();
  return subscriptions.deliveries.at(-1)?.statuses.at(-1);
}

describe('the webhook subscription of an oncall account', () => {
  it('is one for the account and incident events, at the address of the service, with a stored secret', async () => {
    const connection = await connected();
    const [only, ...others] = connection.subscriptions.all;
    expect(others).toEqual([]);
    expect(only?.url).toBe(service.webhookUrl);
    expect(only?.events).toContain('incident.triggered');
    expect(only?.events.every((name) => /^incident\.(?!workflow)/.test(name))).toBe(true);
    expect(await secretFields(connection)).toEqual([`webhookSecret.${only?.id}`]);
    expect(await answered(connection)).toBe(200);
  });

  it('is kept by another authorization, and replaced if its secret was lost', async () => {
    const connection = await connected();
    const [first] = connection.subscriptions.all;
    await connection.authorize();
    expect(connection.subscriptions.all).toEqual([first]);
    await service.database.queries
      .deleteFrom('connection_secrets')
      .where('connection_id', '=', connection.id)
      .where('field', 'like', 'webhookSecret%')
      .execute();
    await connection.authorize();
    expect(connection.subscriptions.all).toHaveLength(1);
    expect(connection.subscriptions.all[0]?.id).not.toBe(first?.id);
    expect(await answered(connection)).toBe(200);
  });

  it('is replaced if its stored secret cannot be decrypted', async () => {
    const connection = await connected();
    const [first] = connection.subscriptions.all;
    await service.database.queries
      .updateTable('connection_secrets')
      .set({ envelope: 'damaged' })
      .where('connection_id', '=', connection.id)
      .where('field', 'like', 'webhookSecret%')
      .execute();
    // Until it is replaced, the error is ours: the provider keeps the event.
    expect(await answered(connection)).toBe(503);
    await connection.sync();
    expect(connection.subscriptions.all).toHaveLength(1);
    expect(connection.subscriptions.all[0]?.id).not.toBe(first?.id);
    expect(await answered(connection)).toBe(200);
  });

  it('is one although a process was killed between its creation and the save of its secret', async () => {
    const connection = await service.draft();
    const { subscriptions } = connection;
    await connection.authorize();
    const [saved] = subscriptions.all;
    // The process that died created this one, with a secret that nobody knows.
    subscriptions.remove(saved?.id ?? '');
    subscriptions.create({ url: service.webhookUrl, description: 'x', events: ['incident.triggered'] });
    await enqueue(service.database.queries, oncallSubscribe, { connectionId: connection.id });
    await service.run();
    expect(subscriptions.all).toHaveLength(1);
    expect(await secretFields(connection)).toEqual([`webhookSecret.${subscriptions.all[0]?.id}`]);
  });

  it('is created again if somebody deleted it, or the reply of its creation was lost', async () => {
    const connection = await connected();
    const { subscriptions } = connection;
    subscriptions.remove(subscriptions.all[0]?.id ?? '');
    let lost = 0;
    service.oncall.beforeAnswer = (call) => {
      if (!call.includes('POST /webhook_subscriptions') || lost > 0) return;
      lost += 1;
      subscriptions.create({ url: service.webhookUrl, description: 'x', events: ['incident.triggered'] });
      service.oncall.failures.push({ calls: /POST \/webhook_subscriptions/, times: 1, reply: 'reset' });
    };
    await expect(connection.sync()).rejects.toThrow();
    await connection.sync();
    expect(lost).toBe(1);
    expect(subscriptions.all).toHaveLength(1);
    expect(await answered(connection)).toBe(200);
  });

  it('leaves those of other connections and other addresses alone', async () => {
    const [connection, other] = [await connected(), await service.draft('us', 'another-organization')];
    await other.authorize();
    const foreign = {
      url: 'https://elsewhere.example/hook',
      description: 'x',
      events: ['incident.resolved'],
    };
    const elsewhere = connection.subscriptions.create(foreign);
    const [, ofOther] = connection.subscriptions.all;
    await service.database.queries
      .deleteFrom('connection_secrets')
      .where('connection_id', '=', connection.id)
      .where('field', 'like', 'webhookSecret%')
      .execute();
    await connection.sync();
    expect(connection.subscriptions.all).toHaveLength(3);
    expect(connection.subscriptions.all).toEqual(expect.arrayContaining([elsewhere, ofOther]));
  });

  it('is enabled again after the provider paused it, and what was missed is found', async () => {
    const connection = await connected();
    const { subscriptions, account } = connection;
    const shop = account.services[0];
    if (shop === undefined) throw new Error('expected a service');
    await connection.sync();
    subscriptions.wrongSecret = true;
    for (let n = 0; n < 3; n += 1) expect(await answered(connection)).toBe(401);
    subscriptions.wrongSecret = false;
    expect(subscriptions.all[0]?.temporarilyDisabled).toBe(true);
    const missed = account.incidents.trigger(shop, { title: 'Nobody was told' });
    await subscriptions.settled();
    expect(Object.keys(await connection.files())).not.toContain(missed.id);
    await connection.sync();
    expect(subscriptions.all[0]?.temporarilyDisabled).toBe(false);
    expect(Object.keys(await connection.files()).filter((path) => path.includes(missed.id))).toHaveLength(1);
    expect(await answered(connection)).toBe(200);
    const health = await readHealth(service.database.queries, [{ id: connection.id, binding: undefined }]);
    expect(health.get(connection.id)?.errors.map(({ code }) => code)).toEqual(['webhook_disabled']);
  });

  it('gets its events and its activity back if somebody changed them', async () => {
    const connection = await connected();
    const [only] = connection.subscriptions.all;
    Object.assign(only ?? {}, { active: false, events: ['incident.resolved'] });
    await connection.sync();
    expect(connection.subscriptions.all).toHaveLength(1);
    expect(only).toMatchObject({
      active: true,
      events: expect.arrayContaining(['incident.triggered']) as [],
    });
  });

  it('needs an owner or administrator: the error says so, and changes are found nevertheless', async () => {
    const connection = await service.draft();
    connection.account.viewer.role = 'observer';
    await expect(connection.authorize()).rejects.toThrow(
      /owner or administrator.*Authorize the connection again/,
    );
    const shop = connection.account.addService('Shop');
    await connection.configure([shop.id]);
    const { id: connectionId } = connection;
    const errorOf = async () => (await readSyncError(service.database.queries, connectionId))?.message;
    connection.account.incidents.trigger(shop);
    await connection.sync();
    expect(await errorOf()).toMatch(/owner or administrator/);
    expect(Object.keys(await connection.files()).filter((path) => path.endsWith('.md'))).toHaveLength(1);
    connection.account.viewer.role = 'admin';
    await connection.authorize();
    expect(await errorOf()).toBeUndefined();
    expect(connection.subscriptions.all).toHaveLength(1);
  });

  it('fails with the limit of ten per account, without deleting any', async () => {
    const connection = await service.draft();
    for (let n = 0; n < 10; n += 1) {
      connection.subscriptions.create({
        url: `https://x.example/${n}`,
        description: 'x',
        events: ['incident.resolved'],
      });
    }
    await expect(connection.authorize()).rejects.toThrow(/limit reached/);
    expect(connection.subscriptions.all).toHaveLength(10);
  });
});
