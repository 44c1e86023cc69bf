import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import type { DeliveryStore } from '../../src/features/connectors/intake/group-commit.ts';
import { pruneDeliveries } from '../../src/features/connectors/intake/prune-deliveries.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import type { DeliveryRow } from '../../src/foundation/db/tables.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import type { ConnectionId } from '../../src/foundation/kernel/ids.ts';
import type { Keyring } from '../../src/foundation/secrets/keyring.ts';
import { type SignedWebhook, signTracker, trackerEvent } from '../standins/webhook-sender.ts';
import { connectTracker } from '../support/connected-tracker.ts';
import { describeEachDatabase, type TestDatabase } from '../support/databases.ts';
import { deliverTo } from '../support/deliver-to.ts';
import { openTestHttp, openTestIntake, openTestKeyring, type TestHttp } from '../support/http-server.ts';
import { silentLog } from '../support/silent-log.ts';

const secret = 'the-secret-of-this-connection';

describeEachDatabase('storing webhooks', (open, dialect) => {
  let database: TestDatabase;
  let keyring: Keyring;
  let http: TestHttp;

  beforeEach(async () => {
    database = await open();
    keyring = await openTestKeyring(database);
    http = await openTestHttp(database, { intake: openTestIntake(database, keyring, silentLog) });
  });

  const deliver = (webhook: SignedWebhook, to: TestHttp = http) => deliverTo(to, webhook);
  const deliveries = (): Promise<DeliveryRow[]> =>
    database.queries.selectFrom('deliveries').selectAll().orderBy('id').execute();
  const jobs = () => database.queries.selectFrom('jobs').selectAll().orderBy('id').execute();
  const connection = (id: ConnectionId) =>
    database.queries.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  it('lets one bad delivery fail alone', async () => {
    await connectTracker(database, keyring, { secret });
    await refusePoison(database, dialect);
    const answers = await Promise.all(
      ['a', 'b', 'poison', 'c'].map((deliveryId) =>
        deliver(signTracker(trackerEvent(), { secret, deliveryId })),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 503, 200]);
    expect(new Set((await deliveries()).map((row) => row.delivery_key))).toEqual(new Set(['a', 'b', 'c']));
    expect(await jobs()).toHaveLength(3);
  });

  it('writes rejected deliveries down without what they say, bounded, and out of the way of accepted ones', async () => {
    const id = await connectTracker(database, keyring, { secret });
    const intake = openTestIntake(database, keyring, silentLog, { clock: () => 1_763_700_000_000 });
    const tested = await openTestHttp(database, { intake });
    for (let sent = 0; sent < 70; sent += 1) {
      const forged = signTracker(trackerEvent(), { secret: 'guess', deliveryId: 'delivery-1' });
      expect(await deliver(forged, tested)).toMatchObject({ statusCode: 401 });
    }
    await intake.close(0);
    const rows = await deliveries();
    expect(rows).toHaveLength(60);
    expect(rows[0]).toMatchObject({
      outcome: 'rejected',
      reason: 'signature_invalid',
      connection_id: null,
      event: null,
      entities: '[]',
    });
    expect((await connection(id)).last_rejected_at).toBe(1_763_700_000_000);
    expect(await deliver(signTracker(trackerEvent(), { secret, deliveryId: 'delivery-1' }))).toMatchObject({
      status: 'accepted',
    });
  });

  it('says when to come back once too much is under way, and when an answer takes too long', async () => {
    await connectTracker(database, keyring, { secret });
    const held = Promise.withResolvers<void>();
    const store: DeliveryStore = {
      submit: async (given) => {
        await held.promise;
        return new Set(given.map(({ id }) => id));
      },
    };
    const limits = { underWay: 2, waitMs: 200 };
    const intake = openTestIntake(database, keyring, silentLog, { store, limits });
    const tested = await openTestHttp(database, { intake });
    const slow = [1, 2].map(() => deliver(signTracker(trackerEvent(), { secret }), tested));
    for (const answer of await Promise.all(slow)) {
      expect(answer).toMatchObject({ statusCode: 503, code: 'overloaded', retryAfter: '5' });
    }
    // Both are under way still, though nobody waits for them any more: the next one's body is not even read.
    expect(() => intake.tracker.assertOpen()).toThrow('Too many webhooks are waiting');
    expect(await deliver(signTracker(trackerEvent(), { secret }), tested)).toMatchObject({
      code: 'overloaded',
    });
    held.resolve();
    await intake.close(1_000);
  });

  it('finishes what came before it closes and refuses what comes after', async () => {
    await connectTracker(database, keyring, { secret });
    const intake = openTestIntake(database, keyring, silentLog);
    const before = Array.from({ length: 10 }, () =>
      intake.tracker.receive(signTracker(trackerEvent(), { secret })),
    );
    const closed = intake.close(5_000);
    await expect(intake.tracker.receive(signTracker(trackerEvent(), { secret }))).rejects.toMatchObject({
      code: 'overloaded',
    });
    await closed;
    expect(await deliveries()).toHaveLength(10);
    expect(await Promise.all(before)).toEqual(Array.from({ length: 10 }, () => 'accepted'));
  });

  it('takes a delivery in once, however many servers it reaches at the same time', async () => {
    await connectTracker(database, keyring, { secret });
    const other = await openDatabase(database.options, silentLog);
    const servers = [database, other].map((one) => openTestIntake(one, keyring, silentLog));
    const webhooks = Array.from({ length: 200 }, () => signTracker(trackerEvent(), { secret }));
    const answers = await Promise.all(
      servers.map((intake, index) =>
        // In opposite orders: whoever takes rows in the order they came would wait for the other for ever.
        Promise.all(
          (index === 0 ? webhooks : webhooks.toReversed()).map((webhook) => intake.tracker.receive(webhook)),
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
    await connectTracker(database, keyring, { secret });
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
      await database.queries.insertInto('deliveries').values(rows).execute();
    }
    const { signal } = new AbortController();
    expect(await pruneDeliveries({ database, clock: systemClock }, signal)).toBe(1_100);
    expect(await deliveries()).toEqual([row]);
    await expect(
      pruneDeliveries({ database, clock: systemClock }, AbortSignal.abort(new Error('stop'))),
    ).rejects.toThrow('stop');
  });
});

/** A row that the database refuses, which no body of a provider can bring about. */
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
