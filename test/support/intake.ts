import { beforeEach } from 'vitest';
import type { ConnectionRow, DeliveryRow, JobRow } from '../../src/foundation/db/tables.ts';
import type { ConnectionId } from '../../src/foundation/kernel/ids.ts';
import type { Keyring } from '../../src/foundation/secrets/keyring.ts';
import type { SignedWebhook } from '../standins/webhook-sender.ts';
import { type ConnectedTracker, connectTracker } from './connected-tracker.ts';
import type { TestDatabase } from './databases.ts';
import { deliverTo } from './deliver-to.ts';
import {
  openTestHttp,
  openTestIntake,
  openTestKeyring,
  type TestHttp,
  type TestIntakeOptions,
} from './http-server.ts';
import { silentLog } from './silent-log.ts';

/** What a test of webhooks works with: new for each test, and empty. */
export interface IntakeTest {
  readonly database: TestDatabase;
  readonly keyring: Keyring;
  readonly http: TestHttp;
}

/** Opens them before each test; everything that it returns is of the test that runs. */
export function useIntake(open: () => Promise<TestDatabase>) {
  let test: IntakeTest | undefined;

  beforeEach(async () => {
    const database = await open();
    const keyring = await openTestKeyring(database);
    const intake = openTestIntake(database, keyring, silentLog);
    test = { database, keyring, http: await openTestHttp(database, { intake }) };
  });

  const opened = (): IntakeTest => {
    if (test === undefined) throw new Error('no test runs');
    return test;
  };
  const queries = () => opened().database.queries;

  return {
    opened,
    connect: (tracker?: ConnectedTracker) => connectTracker(opened().database, opened().keyring, tracker),
    /** The surface again, over the same database, with another intake. */
    openIntake: async (options: TestIntakeOptions) => {
      const { database, keyring } = opened();
      const intake = openTestIntake(database, keyring, silentLog, options);
      return { intake, http: await openTestHttp(database, { intake }) };
    },
    deliver: (webhook: SignedWebhook, to: TestHttp = opened().http) => deliverTo(to, webhook),
    deliveries: (): Promise<DeliveryRow[]> =>
      queries().selectFrom('deliveries').selectAll().orderBy('id').execute(),
    jobs: (): Promise<JobRow[]> => queries().selectFrom('jobs').selectAll().orderBy('id').execute(),
    connection: (id: ConnectionId): Promise<ConnectionRow> =>
      queries().selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  };
}
