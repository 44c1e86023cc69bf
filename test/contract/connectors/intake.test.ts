import { expect, it } from 'vitest';
import { signTracker, trackerEvent } from '../../standins/webhook-sender.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { useIntake } from '../../support/webhooks/intake.ts';

const secret = 'the-secret-of-this-connection';
const deploymentSecret = 'the-secret-of-the-deployment';

describeEachDatabase('tracker webhooks', (open) => {
  const { opened, connect, openIntake, deliver, deliveries, jobs, connection } = useIntake(open);
  const withDeploymentSecret = async () => (await openIntake({ deploymentSecret })).http;

  it('stores the delivery and its job before it returns accepted', async () => {
    const id = await connect({ secret });
    const event = trackerEvent({ id: 'issue-1' });
    expect(await deliver(signTracker(event, { secret, deliveryId: 'delivery-1' }))).toMatchObject({
      statusCode: 200,
      status: 'accepted',
    });
    expect(await deliveries()).toEqual([
      expect.objectContaining({
        source: 'tracker',
        connection_id: id,
        delivery_key: 'delivery-1',
        outcome: 'accepted',
        reason: null,
        event: 'Issue.update',
        entities: JSON.stringify([{ kind: 'issue', id: 'issue-1' }]),
        body_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        body_bytes: Buffer.byteLength(JSON.stringify(event)),
        replayed_at: null,
      }),
    ]);
    expect(await jobs()).toEqual([
      expect.objectContaining({
        task: 'tracker-sync-incremental',
        key: `${id}:issue:issue-1`,
        lane: `connection:${id}`,
        priority: 30,
        state: 'ready',
        payload: JSON.stringify({ connectionId: id, kind: 'issue', id: 'issue-1' }),
      }),
    ]);
    expect((await connection(id)).last_accepted_at).toBeGreaterThan(Date.now() - 10_000);
  });

  it('stores references and a hash of the body, but none of its content', async () => {
    await connect({ secret });
    await deliver(signTracker(trackerEvent({ data: { title: 'confidential plan' } }), { secret }));
    const rows = JSON.stringify([await deliveries(), await jobs()]);
    expect(rows).not.toMatch(/confidential|Ada Lovelace|acknowledged/);
  });

  it('accepts the header names of the specification and those of the provider', async () => {
    await connect({ secret });
    for (const neutral of [true, false]) {
      const webhook = signTracker(trackerEvent(), { secret, neutral });
      expect(await deliver(webhook)).toMatchObject({ status: 'accepted' });
      expect(await deliver(webhook)).toMatchObject({ statusCode: 200, status: 'duplicate' });
    }
  });

  it('recognizes a repeated delivery without an id by its bytes, and enqueues no job for it', async () => {
    await connect({ secret });
    const webhook = signTracker(trackerEvent({ id: 'issue-1' }), { secret, deliveryId: null });
    expect(await deliver(webhook)).toMatchObject({ status: 'accepted' });
    await opened().database.queries.deleteFrom('jobs').execute();
    expect(await deliver(webhook)).toMatchObject({ statusCode: 200, status: 'duplicate' });
    expect([await deliveries(), await jobs()]).toMatchObject([{ length: 1 }, { length: 0 }]);
  });

  it('creates one job for many edits of one entity', async () => {
    await connect({ secret });
    const edits = Array.from({ length: 40 }, () =>
      deliver(signTracker(trackerEvent({ id: 'issue-1' }), { secret })),
    );
    for (const answer of await Promise.all(edits)) expect(answer.status).toBe('accepted');
    expect([await deliveries(), await jobs()]).toMatchObject([{ length: 40 }, { length: 1 }]);
  });

  it('names the parent of a comment, since a removed comment cannot be fetched', async () => {
    await connect({ secret });
    const event = trackerEvent({
      type: 'Comment',
      action: 'remove',
      id: 'comment-1',
      data: { issueId: 'issue-9' },
    });
    await deliver(signTracker(event, { secret }));
    expect((await jobs()).map(({ payload }) => JSON.parse(payload))).toEqual([
      expect.objectContaining({
        kind: 'comment',
        id: 'comment-1',
        parent: { kind: 'issue', id: 'issue-9' },
      }),
    ]);
  });

  it('accepts every type that is mirrored', async () => {
    await connect({ secret });
    const types = [
      'Issue',
      'Comment',
      'Document',
      'Project',
      'ProjectUpdate',
      'Initiative',
      'InitiativeUpdate',
    ];
    for (const type of [...types, 'Attachment', 'Cycle', 'IssueLabel', 'User', 'Customer', 'CustomerNeed']) {
      const answer = await deliver(signTracker(trackerEvent({ type }), { secret }));
      expect([type, answer.status]).toEqual([type, 'accepted']);
    }
    expect(await jobs()).toHaveLength(13);
  });

  it('answers 200 ignored for unknown types, whatever else the body contains', async () => {
    await connect({ secret });
    const event = { ...trackerEvent({ type: 'Invention' }), data: 7, further: [{ deep: {} }] };
    expect(await deliver(signTracker(event, { secret }))).toMatchObject({
      statusCode: 200,
      status: 'ignored',
    });
    expect(await deliveries()).toMatchObject([
      { outcome: 'ignored', reason: 'unknown_type', event: 'Invention.update' },
    ]);
    expect(await jobs()).toEqual([]);
  });

  it('ends the connection whose authorization was revoked', async () => {
    const id = await connect({ secret });
    const { data: _none, ...event } = trackerEvent({ type: 'OAuthApp', action: 'revoked' });
    expect(await deliver(signTracker(event, { secret }))).toMatchObject({ status: 'accepted' });
    expect(await deliveries()).toMatchObject([{ event: 'OAuthApp.revoked', entities: '[]' }]);
    expect(await connection(id)).toMatchObject({ state: 'disconnected' });
    expect(await jobs()).toEqual([]);
  });

  it.each(['draft', 'authorized', 'awaiting_merge', 'disconnected'] as const)(
    'ignores events while the connection is %s',
    async (state) => {
      await connect({ secret, state });
      expect(await deliver(signTracker(trackerEvent(), { secret }))).toMatchObject({ status: 'ignored' });
      expect(await deliveries()).toMatchObject([{ outcome: 'ignored', reason: 'not_connected' }]);
      expect(await jobs()).toEqual([]);
    },
  );

  it('continues to accept events of a degraded connection', async () => {
    await connect({ secret, state: 'degraded' });
    expect(await deliver(signTracker(trackerEvent(), { secret }))).toMatchObject({ status: 'accepted' });
  });

  it('(a) answers 503 while there is no secret: of the connection, of the deployment, or for an unknown account', async () => {
    await connect({ account: 'no-secret' });
    for (const organizationId of ['no-secret', 'unknown', undefined]) {
      const answer = await deliver(signTracker(trackerEvent({ organizationId }), { secret }));
      expect(answer).toEqual({
        statusCode: 503,
        status: 503,
        code: 'webhook_secret_missing',
        retryAfter: '60',
      });
    }
  });

  it('(b) answers 401 for a missing or wrong signature', async () => {
    await connect({ secret });
    const { headers, body } = signTracker(trackerEvent(), { secret });
    const { 'linear-signature': _signature, ...unsigned } = headers;
    const refused = { statusCode: 401, code: 'signature_invalid' };
    expect(await deliver({ headers: unsigned, body })).toMatchObject(refused);
    expect(await deliver(signTracker(body, { secret: 'another secret' }))).toMatchObject(refused);
    expect(await deliver({ headers, body: Buffer.concat([body, Buffer.from(' ')]) })).toMatchObject(refused);
    expect(await jobs()).toEqual([]);
  });

  it('(b) answers 401 for a timestamp that is stale, in the future, missing or invalid', async () => {
    await connect({ secret });
    const now = Date.now();
    const times = [now - 62_000, now + 62_000, undefined, null, String(now), Number.MAX_VALUE, Number.NaN];
    for (const webhookTimestamp of times) {
      const event = { ...trackerEvent(), webhookTimestamp };
      expect(await deliver(signTracker(event, { secret }))).toMatchObject({
        statusCode: 401,
        code: 'timestamp_stale',
      });
    }
    for (const webhookTimestamp of [now - 55_000, now + 55_000]) {
      const event = trackerEvent({ webhookTimestamp });
      expect(await deliver(signTracker(event, { secret }))).toMatchObject({ status: 'accepted' });
    }
  });

  it('(c) answers 400 for verified bytes that cannot be parsed', async () => {
    const withSecret = await withDeploymentSecret();
    for (const body of ['', '{', '[]', 'null', '"text"', '{"type":1}', '{"type":"Issue"}']) {
      const webhook = signTracker(Buffer.from(body), { secret: deploymentSecret });
      expect([body, await deliver(webhook, withSecret)]).toMatchObject([
        body,
        { statusCode: 400, code: 'validation_failed' },
      ]);
    }
  });

  it('(d) answers 200 ignored when no connection has the account and the deployment secret verifies', async () => {
    await connect({ secret });
    const withSecret = await withDeploymentSecret();
    for (const organizationId of ['unknown', undefined]) {
      const webhook = signTracker(trackerEvent({ organizationId }), { secret: deploymentSecret });
      expect(await deliver(webhook, withSecret)).toMatchObject({ statusCode: 200, status: 'ignored' });
    }
    expect(await deliveries()).toMatchObject([
      { connection_id: null, outcome: 'ignored', reason: 'unknown_account' },
      { connection_id: null },
    ]);
  });

  it.each(['an own secret', 'no secret'])(
    '(d) judges an event by its account, also if its data names one with %s',
    async (which) => {
      const named = await connect({ account: 'workspace-1', ...(which === 'an own secret' && { secret }) });
      const http = await withDeploymentSecret();
      const event = trackerEvent({ organizationId: 'unknown', data: { organizationId: 'workspace-1' } });
      const answer = await deliver(signTracker(event, { secret: deploymentSecret }), http);
      expect(answer).toMatchObject({ statusCode: 200, status: 'ignored' });
      expect((await deliveries()).map((row) => row.connection_id)).not.toContain(named);
    },
  );

  it('verifies with the deployment secret if the connection has none, and only then', async () => {
    const withSecret = await withDeploymentSecret();
    const plain = await connect({ account: 'plain' });
    await connect({ account: 'own', secret });
    const signed = (organizationId: string) =>
      signTracker(trackerEvent({ organizationId }), { secret: deploymentSecret });
    expect(await deliver(signed('plain'), withSecret)).toMatchObject({ status: 'accepted' });
    expect(await deliver(signed('own'), withSecret)).toMatchObject({ statusCode: 401 });
    expect((await jobs()).map(({ lane }) => lane)).toEqual([`connection:${plain}`]);
  });

  it('verifies each connection of one workspace with its own secret', async () => {
    const first = await connect({ orgSlug: 'acme', secret });
    const second = await connect({ orgSlug: 'globex', secret: 'another' });
    expect(await deliver(signTracker(trackerEvent(), { secret }))).toMatchObject({ status: 'accepted' });
    expect(await deliver(signTracker(trackerEvent(), { secret: 'another' }))).toMatchObject({
      status: 'accepted',
    });
    expect(await deliver(signTracker(trackerEvent(), { secret: 'neither' }))).toMatchObject({
      statusCode: 401,
    });
    expect((await deliveries()).map((row) => row.connection_id)).toEqual([first, second]);
  });

  it('accepts one delivery for both connections that it verifies for', async () => {
    const both = [await connect({ orgSlug: 'acme', secret }), await connect({ orgSlug: 'globex', secret })];
    const webhook = signTracker(trackerEvent(), { secret });
    expect(await deliver(webhook)).toMatchObject({ status: 'accepted' });
    expect(new Set((await jobs()).map(({ lane }) => lane))).toEqual(
      new Set(both.map((id) => `connection:${id}`)),
    );
    expect(await deliver(webhook)).toMatchObject({ status: 'duplicate' });
  });

  it('does not accept the secret of one connection for the events of another', async () => {
    await connect({ account: 'workspace-1', secret });
    await connect({ account: 'workspace-2', secret: 'another' });
    const event = trackerEvent({ organizationId: 'workspace-2' });
    expect(await deliver(signTracker(event, { secret }))).toMatchObject({ statusCode: 401 });
  });

  it('answers 503, never 401, when a saved secret cannot be decrypted, and does not disclose why', async () => {
    const id = await connect({ secret });
    await opened().database.queries.updateTable('connection_secrets').set({ envelope: 'v1.a.b.c' }).execute();
    const answer = await deliver(signTracker(trackerEvent(), { secret }));
    expect(answer).toMatchObject({ statusCode: 503, code: 'secret_unreadable', retryAfter: '60' });
    expect(opened().http.logged.some((line) => line.includes(id) && line.includes('secret_unreadable'))).toBe(
      true,
    );
  });

  it('stores the delivery for connections that verify and requests a retry for those with unreadable secrets', async () => {
    const unreadable = await connect({ secret });
    const { envelope } = await opened()
      .database.queries.selectFrom('connection_secrets')
      .select('envelope')
      .executeTakeFirstOrThrow();
    const setEnvelope = (text: string) =>
      opened()
        .database.queries.updateTable('connection_secrets')
        .set({ envelope: text })
        .where('connection_id', '=', unreadable)
        .execute();
    await setEnvelope('v1.a.b.c');
    const verified = await connect({ orgSlug: 'globex', secret });
    const webhook = signTracker(trackerEvent(), { secret, deliveryId: 'delivery-1' });
    for (const answer of [await deliver(webhook), await deliver(webhook)]) {
      expect(answer).toMatchObject({ statusCode: 503, code: 'secret_unreadable', retryAfter: '60' });
      expect((await jobs()).map(({ lane }) => lane)).toEqual([`connection:${verified}`]);
    }
    const logged = opened().http.logged.filter((line) => line.includes('secret_unreadable'));
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.every((line) => line.includes(unreadable) && !line.includes(verified))).toBe(true);
    await setEnvelope(envelope);
    expect(await deliver(webhook)).toMatchObject({ statusCode: 200, status: 'accepted' });
    expect((await jobs()).map(({ lane }) => lane)).toEqual([
      `connection:${verified}`,
      `connection:${unreadable}`,
    ]);
  });

  it('requests no retry for an unreadable secret of a connection that would ignore the delivery', async () => {
    await connect({ secret, state: 'disconnected' });
    await opened().database.queries.updateTable('connection_secrets').set({ envelope: 'v1.a.b.c' }).execute();
    await connect({ orgSlug: 'globex', secret });
    expect(await deliver(signTracker(trackerEvent(), { secret }))).toMatchObject({ status: 'accepted' });
  });
});
