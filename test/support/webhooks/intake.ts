import { beforeEach } from 'vitest';
import type { ConnectionRow, DeliveryRow } from '../../../src/features/connectors/tables.ts';
import type { JobRow } from '../../../src/foundation/jobs/tables.ts';
import type { ConnectionId } from '../../../src/foundation/kernel/ids.ts';
import type { Keyring } from '../../../src/foundation/secrets/keyring.ts';
import type { SignedWebhook } from '../../standins/webhook-sender.ts';
import type { TestDatabase } from '../database/databases.ts';
import {
  openTestHttp,
  openTestIntake,
  openTestKeyring,
  type TestHttp,
  type TestIntakeOptions,
} from '../http/http-server.ts';
import { silentLog } from '../silent-log.ts';
import { type ConnectedTracker, connectTracker } from './connected-tracker.ts';
import { deliverTo } from './deliver-to.ts';

/** The environment of a webhook test: new and empty for each test. */
export interface IntakeTest {
  readonly database: TestDatabase;
  readonly keyring: Keyring;
  readonly http: TestHttp;
}

/** Opens the environment before each test; the returned functions use that of the current test. */
export function useIntake(open: () => Promise<TestDatabase>) {
  let test: IntakeTest | undefined;

  beforeEach(async () => {
    const database = await open();
    const keyring = await openTestKeyring(database);
    const intake = openTestIntake(database, keyring, silentLog);
    test = { database, keyring, http: await openTestHttp(database, { intake }) };
  });

  const opened = (): IntakeTest => {
    if (test === undefined) throw new Error('no test is running');
    return test;
  };
  const queries = () => opened().database.queries;

  return {
    opened,
    connect: (tracker?: ConnectedTracker) => connectTracker(opened().database, opened().keyring, tracker),
    /** Opens a second HTTP surface with another intake over the same database. */
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
