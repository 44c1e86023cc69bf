import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type NewDelivery, pruneDeliveries } from '../../../src/features/connectors/intake/delivery-store.ts';
import {
  commitDeliveries,
  type SubmitDeliveries,
} from '../../../src/features/connectors/intake/group-commit.ts';
import { connectors } from '../../../src/features/connectors/registry.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { newId } from '../../../src/foundation/kernel/ids.ts';
import { type Metrics, metricsOff } from '../../../src/foundation/telemetry/metrics.ts';
import { signTracker, trackerEvent } from '../../standins/webhook-sender.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { openTestIntake } from '../../support/http/http-server.ts';
import { silentLog } from '../../support/silent-log.ts';
import { useIntake } from '../../support/webhooks/intake.ts';
import { trackerIntake } from '../../support/webhooks/tracker-intake.ts';

const secret = 'the-secret-of-this-connection';

describeEachDatabase('storing webhooks', (open, dialect) => {
  const { opened, connect, openIntake, deliver, deliveries, jobs, connection } = useIntake(open);

  it('rejects one bad delivery without affecting the others', async () => {
    await connect({ secret });
    await refusePoison(opened().database, dialect);
    const answers = await Promise.all(
      ['a', 'b', 'poison', 'c'].map((deliveryId) =>
        deliver(signTracker(trackerEvent(), { secret, deliveryId })),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 503, 200]);
    expect(new Set((await deliveries()).map((row) => row.delivery_key))).toEqual(new Set(['a', 'b', 'c']));
    expect(await jobs()).toHaveLength(3);
  });

  it('uses the last received delivery of an entity, regardless of the delivery keys', async () => {
    const connectionId = await connect({ secret });
    const received = (deliveryKey: string, receivedAt: number): NewDelivery => ({
      id: newId(),
      source: 'tracker',
      connectionId,
      deliveryKey,
      outcome: 'accepted',
      reason: undefined,
      event: 'Comment.update',
      entities: [{ kind: 'comment', id: 'comment-1', parent: { kind: 'issue', id: deliveryKey } }],
      bodyHash: deliveryKey,
      bodyBytes: 1,
      receivedAt,
    });
    const group = [received('b', 2), received('c', 1), received('a', 3)];
    await commitDeliveries(opened().database, connectors, group);
    const payloads = (await jobs()).map(({ payload }) => JSON.parse(payload) as unknown);
    expect(payloads).toEqual([expect.objectContaining({ parent: { kind: 'issue', id: 'a' } })]);
  });

  it('stores rejected deliveries without their content, separately from accepted ones', async () => {
    const id = await connect({ secret });
    const { intake, http } = await openIntake({ clock: () => 1_763_700_000_000 });
    const forged = signTracker(trackerEvent(), { secret: 'guess', deliveryId: 'delivery-1' });
    expect(await deliver(forged, http)).toMatchObject({ statusCode: 401 });
    await intake.close(0);
    expect(await deliveries()).toMatchObject([
      {
        outcome: 'rejected',
        reason: 'signature_invalid',
        connection_id: null,
        event: null,
        entities: '[]',
      },
    ]);
    expect((await connection(id)).last_rejected_at).toBe(1_763_700_000_000);
    expect(await deliver(signTracker(trackerEvent(), { secret, deliveryId: 'delivery-1' }))).toMatchObject({
      status: 'accepted',
    });
  });

  it('keeps ten rejected deliveries per minute and account, whatever unauthenticated senders send', async () => {
    const [first, second] = [
      await connect({ account: 'one', secret }),
      await connect({ account: 'two', secret }),
    ];
    let now = 1_763_700_000_000;
    const { intake, http } = await openIntake({ clock: () => now });
    const forge = async (organizationId: string, times: number): Promise<void> => {
      const event = trackerEvent({ organizationId });
      for (let sent = 0; sent < times; sent += 1) {
        await deliver(signTracker(event, { secret: 'guess', deliveryId: organizationId }), http);
      }
    };
    await forge('nobody', 30);
    await forge('one', 15);
    now += 10_000;
    await forge('two', 1);
    await forge('one', 1);
    await intake.close(0);
    const counts = Map.groupBy(await deliveries(), (row) => row.delivery_key);
    expect([...counts].map(([key, rows]) => [key, rows.length])).toEqual([
      ['nobody', 20],
      ['one', 10],
      ['two', 1],
    ]);
    // Runs once a minute.
    expect((await connection(first)).last_rejected_at).toBe(1_763_700_000_000);
    expect((await connection(second)).last_rejected_at).toBe(1_763_700_010_000);
    const { intake: later, http: then } = await openIntake({ clock: () => now + 60_000 });
    await deliver(signTracker(trackerEvent({ organizationId: 'one' }), { secret: 'guess' }), then);
    await later.close(0);
    expect((await connection(first)).last_rejected_at).toBe(1_763_700_070_000);
  });

  it('counts every outcome, including requests refused before their body and deliveries that are not stored', async () => {
    await connect({ secret });
    const counted: string[] = [];
    const metrics: Metrics = {
      ...metricsOff,
      add: (_name, _value, attributes) => void counted.push(String(attributes?.['outcome'])),
    };
    const limits = { inFlight: 1, waitMs: 5_000 };
    const stored = Promise.withResolvers<void>();
    const { intake, http } = await openIntake({
      metrics,
      limits,
      submit: async () => {
        await stored.promise;
        throw new Error('the disk is full');
      },
    });
    await deliver({ headers: {}, body: Buffer.from('{}') }, http);
    const failing = trackerIntake(intake).receive(signTracker(trackerEvent(), { secret }));
    await deliver(signTracker(trackerEvent(), { secret }), http);
    stored.resolve();
    await expect(failing).rejects.toMatchObject({ code: 'unavailable' });
    expect(() =>
      trackerIntake(intake)
        .openBody({ owner: 'a', length: undefined })
        .add(2 ** 40),
    ).toThrow('memory');
    expect(counted).toEqual(['rejected', 'overloaded', 'failed', 'overloaded']);
    await intake.close(0);
  });

  it('returns Retry-After when too much is in flight and when an answer takes too long', async () => {
    await connect({ secret });
    const held = Promise.withResolvers<void>();
    const submit: SubmitDeliveries = async (given) => {
      await held.promise;
      return new Set(given.map(({ id }) => id));
    };
    const limits = { inFlight: 2, waitMs: 200 };
    const { intake, http } = await openIntake({ submit, limits });
    const slow = [1, 2].map(() => deliver(signTracker(trackerEvent(), { secret }), http));
    for (const answer of await Promise.all(slow)) {
      expect(answer).toMatchObject({ statusCode: 503, code: 'overloaded', retryAfter: '5' });
    }
    // Both are still in flight, though their callers are gone, so the body of the next one is not read.
    await expect(trackerIntake(intake).admit({})).rejects.toThrow('Too many webhooks are waiting');
    expect(await deliver(signTracker(trackerEvent(), { secret }), http)).toMatchObject({
      code: 'overloaded',
    });
    held.resolve();
    await intake.close(1_000);
  });

  it('completes the deliveries received before close and refuses later ones', async () => {
    await connect({ secret });
    const { intake } = await openIntake({});
    const before = Array.from({ length: 10 }, () =>
      trackerIntake(intake).receive(signTracker(trackerEvent(), { secret })),
    );
    const closed = intake.close(5_000);
    await expect(
      trackerIntake(intake).receive(signTracker(trackerEvent(), { secret })),
    ).rejects.toMatchObject({
      code: 'overloaded',
    });
    await closed;
    expect(await deliveries()).toHaveLength(10);
    expect(await Promise.all(before)).toEqual(Array.from({ length: 10 }, () => 'accepted'));
  });

  it('stores a delivery once, however many servers receive it at the same time', async () => {
    await connect({ secret });
    const { database, keyring } = opened();
    const other = await openDatabase(database.options, silentLog);
    const servers = [database, other].map((one) => openTestIntake(one, keyring, silentLog));
    const webhooks = Array.from({ length: 200 }, () => signTracker(trackerEvent(), { secret }));
    const answers = await Promise.all(
      servers.map((intake, index) =>
        // In opposite orders: taking row locks in order of arrival would deadlock.
        Promise.all(
          (index === 0 ? webhooks : webhooks.toReversed()).map((webhook) =>
            trackerIntake(intake).receive(webhook),
          ),
        ),
      ),
    );
    const [forward = [], backward = []] = answers;
    const seen = backward.toReversed().map((status, index) => new Set([status, forward[index]]));
    expect(seen.filter((both) => !(both.has('accepted') && both.has('duplicate')))).toEqual([]);
    expect([await deliveries(), await jobs()]).toMatchObject([{ length: 200 }, { length: 200 }]);
    await Promise.all(servers.map((intake) => intake.close(1_000)));
    await other.close();
  });

  it('deletes deliveries after 14 days, however many, and no others', async () => {
    await connect({ secret });
    await deliver(signTracker(trackerEvent(), { secret }));
    const [row] = await deliveries();
    if (row === undefined) throw new Error('nothing was stored');
    const old = Date.now() - 14 * 86_400_000 - 1_000;
    for (let first = 0; first < 1_100; first += 100) {
      const rows = Array.from({ length: 100 }, (_, index) => ({
        ...row,
        id: `old-${first + index}`,
        delivery_key: `old-${first + index}`,
        received_at: old,
      }));
      await opened().database.queries.insertInto('deliveries').values(rows).execute();
    }
    const { signal } = new AbortController();
    await pruneDeliveries({ database: opened().database, clock: systemClock }, signal);
    expect(await deliveries()).toEqual([row]);
    await expect(
      pruneDeliveries(
        { database: opened().database, clock: systemClock },
        AbortSignal.abort(new Error('stop')),
      ),
    ).rejects.toThrow('stop');
  });

  it('keeps the newest 20,000 rejected deliveries, and all others', async () => {
    await connect({ secret });
    await deliver(signTracker(trackerEvent(), { secret }));
    const [row] = await deliveries();
    if (row === undefined) throw new Error('nothing was stored');
    const { database } = opened();
    for (let first = 0; first < 21_000; first += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, index) => ({
        ...row,
        id: `0-${String(first + index).padStart(5, '0')}`,
        outcome: 'rejected' as const,
      }));
      await database.queries.insertInto('deliveries').values(rows).execute();
    }
    const { signal } = new AbortController();
    await pruneDeliveries({ database, clock: systemClock }, signal);
    const left = await deliveries();
    expect([left.length, left[0]?.id, left.at(-1)?.id]).toEqual([20_001, '0-01000', row.id]);
  });
});

/** Returns a row that the database refuses, which no body of a provider can cause. */
async function refusePoison({ queries }: TestDatabase, dialect: 'sqlite' | 'postgres'): Promise<void> {
  if (dialect === 'sqlite') {
    await sql`create trigger poison before insert on deliveries when new.delivery_key = 'poison'
      begin select raise(abort, 'poison'); end`.execute(queries);
    return;
  }
  await sql`create function refuse_poison() returns trigger language plpgsql as
    $$ begin if new.delivery_key = 'poison' then raise exception 'poison'; end if; return new; end $$`.execute(
    queries,
  );
  await sql`create trigger poison before insert on deliveries for each row execute function refuse_poison()`.execute(
    queries,
  );
}
