import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signatureOf } from '../../standins/oncall/subscriptions.ts';
import { openTestIntake, openTestKeyring } from '../../support/http/http-server.ts';
import {
  type OncallConnection,
  type OncallService,
  openOncallService,
} from '../../support/oncall/oncall-service.ts';
import { silentLog } from '../../support/silent-log.ts';

let service: OncallService;
let connection: OncallConnection;

beforeEach(async () => {
  service = await openOncallService();
  connection = await service.draft();
  await connection.authorize();
  await connection.configure([connection.account.addService('Shop').id]);
});

afterEach(() => service[Symbol.asyncDispose]());

interface Sent {
  readonly event?: Readonly<Record<string, unknown>>;
  readonly secrets?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function eventBody(event: Readonly<Record<string, unknown>> = {}): string {
  const shop = connection.account.services[0];
  return JSON.stringify({
    event: {
      id: randomUUID(),
      event_type: 'incident.triggered',
      resource_type: 'incident',
      occurred_at: new Date().toISOString(),
      data: { type: 'incident', id: 'Q1', service: { id: shop?.id } },
      ...event,
    },
  });
}

const subscription = () => connection.subscriptions.all[0];
const secretOf = () => subscription()?.secret ?? '';

/** Delivers a body and returns the status of the answer, and its word or code. */
async function send({ event, secrets = [secretOf()], headers = {}, body = eventBody(event) }: Sent = {}) {
  const response = await fetch(service.webhookUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signatureOf(body, secrets), ...headers },
    body,
  });
  const answer = (await response.json()) as { status: unknown; code?: string };
  return `${response.status} ${answer.code ?? String(answer.status)}`;
}

const named = () => ({ 'x-webhook-subscription': subscription()?.id ?? '' });
const jobs = async () =>
  (await service.database.queries.selectFrom('jobs').selectAll().execute()).map(({ task }) => task);
const deliveries = () =>
  service.database.queries.selectFrom('deliveries').select(['outcome', 'reason']).orderBy('id').execute();

describe('a webhook of the oncall provider', () => {
  it('is accepted with either name of its headers, and with any of several signatures', async () => {
    const body = eventBody();
    const signature = signatureOf(body, [secretOf()])['x-pagerduty-signature'] ?? '';
    const other = signatureOf(body, ['another'])['x-pagerduty-signature'] ?? '';
    const neutral = { 'x-oncall-signature': signature, 'x-oncall-subscription': subscription()?.id ?? '' };
    const post = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(service.webhookUrl, { method: 'POST', headers, body })).status;
    expect(await post({ ...neutral, 'content-type': 'application/json' })).toBe(200);
    const json = { 'content-type': 'application/json', ...named() };
    expect(await post({ ...json, 'x-pagerduty-signature': `${other}, v2=00, ${signature}` })).toBe(200);
    expect(await post({ ...json, 'x-pagerduty-signature': other })).toBe(401);
    expect(await post({ ...json, 'x-pagerduty-signature': signature.replace('v1', 'v2') })).toBe(401);
    expect(await post({ ...json, 'x-pagerduty-signature': signature.toUpperCase() })).toBe(401);
    expect(await post({ ...json, 'x-pagerduty-signature': Array(9).fill(signature).join(',') })).toBe(401);
    expect(await post({ ...json, 'x-pagerduty-signature': signature, 'x-oncall-signature': other })).toBe(
      401,
    );
    expect(await post(json)).toBe(401);
  });

  it('is refused if its bytes changed after the signature', async () => {
    const body = eventBody();
    const headers = { ...signatureOf(body, [secretOf()]), ...named() };
    expect(await send({ headers, body: JSON.stringify(JSON.parse(body), null, 1) })).toMatch(/^401/);
    expect(await send({ headers, body })).toBe('200 accepted');
  });

  it('is verified by the secret of the subscription that it names, and by no other', async () => {
    const other = await service.draft('eu', 'another-organization');
    await other.authorize();
    const foreign = other.subscriptions.all[0];
    expect(await send({ headers: { 'x-webhook-subscription': foreign?.id ?? '' } })).toBe(
      '401 signature_invalid',
    );
    expect(await send({ headers: { 'x-webhook-subscription': 'PUNKNOWN' } })).toBe('401 signature_invalid');
    const both = { ...named(), 'x-oncall-subscription': foreign?.id ?? '' };
    expect(await send({ headers: both })).toBe('401 signature_invalid');
    expect(await send({ headers: named() })).toBe('200 accepted');
  });

  it('is bound to the one connection whose secret verifies it if it names none', async () => {
    const other = await service.draft('eu', 'another-organization');
    await other.authorize();
    expect(await send()).toBe('200 accepted');
    expect(await send({ secrets: ['nobody'] })).toBe('401 signature_invalid');
    const rows = await service.database.queries
      .selectFrom('deliveries')
      .select('connection_id')
      .where('outcome', '=', 'accepted')
      .execute();
    expect(rows).toEqual([{ connection_id: connection.id }]);
  });

  it('is stale 72 hours after its event and 5 minutes before it, or without a time', async () => {
    const hourMs = 3_600_000;
    const answerAt = (occurred_at: unknown) => send({ event: { occurred_at }, headers: named() });
    const at = (offset: number) => answerAt(new Date(Date.now() + offset).toISOString());
    expect(await at(-71 * hourMs)).toBe('200 accepted');
    expect(await at(-73 * hourMs)).toBe('401 timestamp_stale');
    expect(await at(4 * 60_000)).toBe('200 accepted');
    expect(await at(6 * 60_000)).toBe('401 timestamp_stale');
    for (const time of [undefined, 'yesterday', 5, '2026-01-01T00:00:00']) {
      expect(await answerAt(time)).toBe('401 timestamp_stale');
    }
  });

  it('is known again by its delivery, else by its event', async () => {
    const id = { ...named(), 'x-webhook-id': randomUUID() };
    expect(await send({ headers: id })).toBe('200 accepted');
    expect(await send({ headers: id })).toBe('200 duplicate');
    const event = { id: '01EVENT' };
    expect(await send({ headers: named(), event })).toBe('200 accepted');
    expect(await send({ headers: named(), event: { ...event, client: 'another body' } })).toBe(
      '200 duplicate',
    );
  });

  it('without a service or an incident is acknowledged, and nothing is fetched', async () => {
    const before = await jobs();
    for (const event of [
      { data: { type: 'incident', id: 'Q1' } },
      { data: { type: 'incident', id: 'Q1', service: null } },
      { data: { type: 'incident_note', id: 'N1' } },
      { event_type: 'pagey.ping', data: { type: 'ping', message: 'x' } },
      { event_type: 'service.created', data: { type: 'service', id: 'P1' } },
      { data: null },
    ]) {
      expect(await send({ headers: named(), event })).toBe('200 ignored');
    }
    expect(await jobs()).toEqual(before);
    expect(new Set((await deliveries()).map(({ reason }) => reason))).toEqual(
      new Set(['without_service', 'without_incident', 'unknown_type']),
    );
  });

  it('that is no event is invalid, once it is verified', async () => {
    expect(await send({ headers: named(), body: '{"event":' })).toBe('400 validation_failed');
    expect(await send({ headers: named(), body: '[]' })).toBe('400 validation_failed');
    expect(await send({ headers: named(), body: '{"event":', secrets: ['x'] })).toMatch(/^401/);
  });

  it('is an error of the service while its secret cannot be read, or it cannot be stored', async () => {
    const { queries } = service.database;
    const row = () =>
      queries
        .selectFrom('connection_secrets')
        .selectAll()
        .where('connection_id', '=', connection.id)
        .where('field', 'like', 'webhookSecret%')
        .executeTakeFirstOrThrow();
    const { envelope } = await row();
    const save = (text: string) =>
      queries
        .updateTable('connection_secrets')
        .set({ envelope: text })
        .where('connection_id', '=', connection.id)
        .where('field', 'like', 'webhookSecret%')
        .execute();
    await save('damaged');
    expect(await send({ headers: named() })).toBe('503 secret_unreadable');
    expect(await send()).toBe('503 secret_unreadable');
    await save(envelope);
    await queries.schema.alterTable('jobs').renameTo('jobs_away').execute();
    expect(await send({ headers: named() })).toMatch(/^5\d\d/);
    await queries.schema.alterTable('jobs_away').renameTo('jobs').execute();
    expect(await send({ headers: named() })).toBe('200 accepted');
  });

  it('has at most 512 KiB', async () => {
    const event = { data: { type: 'incident', id: 'x'.repeat(520 * 1024) } };
    expect(await send({ headers: named(), event })).toMatch(/^413/);
  });

  it('is acknowledged before the connection is set up, and ignored', async () => {
    const draft = await service.draft('eu');
    await draft.authorize();
    const only = draft.subscriptions.all[0];
    const headers = { 'x-webhook-subscription': only?.id ?? '' };
    expect(await send({ headers, secrets: [only?.secret ?? ''] })).toBe('200 ignored');
  });
});

describe('a webhook that names no subscription', () => {
  const rejectedAt = async () => (await connection.row()).lastRejectedAt;
  const recorded = async () => {
    await service.closeIntake();
    return deliveries();
  };

  it('is recorded on no connection if none verifies it', async () => {
    expect(await send({ secrets: ['nobody'] })).toBe('401 signature_invalid');
    expect(await recorded()).toEqual([{ outcome: 'rejected', reason: 'signature_invalid' }]);
    expect(await rejectedAt()).toBeUndefined();
  });

  it('is recorded on the connection that verified it if it is stale', async () => {
    const other = await service.draft('eu', 'another-organization');
    await other.authorize();
    const stale = { occurred_at: new Date(0).toISOString() };
    expect(await send({ event: stale })).toBe('401 timestamp_stale');
    expect(await recorded()).toEqual([{ outcome: 'rejected', reason: 'timestamp_stale' }]);
    expect(await rejectedAt()).toBeGreaterThan(0);
    expect((await other.row()).lastRejectedAt).toBeUndefined();
  });

  it('does not depend on the secrets of others that cannot be read', async () => {
    const other = await service.draft('eu', 'another-organization');
    await other.authorize();
    await other.configure(['P1']);
    await service.database.queries
      .updateTable('connection_secrets')
      .set({ envelope: 'damaged' })
      .where('connection_id', '=', other.id)
      .where('field', 'like', 'webhookSecret%')
      .execute();
    expect(await send()).toBe('200 accepted');
    expect(await send({ secrets: ['nobody'] })).toBe('503 secret_unreadable');
    expect((await recorded()).map(({ reason }) => reason)).toEqual([null, 'secret_unreadable']);
    expect((await other.row()).lastRejectedAt).toBeUndefined();
  });

  it('waits for others of its kind, of which 50 at most wait', async () => {
    const intake = openTestIntake(service.database, await openTestKeyring(service.database), silentLog);
    const body = eventBody();
    const webhook = { headers: signatureOf(body, ['nobody']), body: Buffer.from(body) };
    const codes = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const received = intake.sources.get('oncall')?.receive(webhook);
        return await received?.catch((error: unknown) => (error as { code?: string }).code);
      }),
    );
    const count = (code: string): number => codes.filter((each) => each === code).length;
    expect([count('signature_invalid'), count('overloaded')]).toEqual([50, 10]);
    await intake.close(1_000);
  });
});
