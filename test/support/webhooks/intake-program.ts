import { openIntake } from '../../../src/features/connectors/intake/open-intake.ts';
import { webhookSources } from '../../../src/features/connectors/intake/verify-webhook.ts';
import { connectors } from '../../../src/features/connectors/registry.ts';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { openKeyring } from '../../../src/foundation/secrets/open-keyring.ts';
import { metricsOff } from '../../../src/foundation/telemetry/metrics.ts';
import { signTracker, trackerEvent } from '../../standins/webhook-sender.ts';
import { startCounting } from '../kill/kill-at-write.ts';
import { silentLog } from '../silent-log.ts';
import { trackerIntake } from './tracker-intake.ts';

/**
 * A process that receives two waves of webhooks, for tests that kill it. Prints the id of each delivery (which is also
 * the id of its entity) once it is acknowledged. Arguments: database options as JSON, AUTH_SECRET, webhook secret.
 */
const [, , options = '', authSecret = '', secret = ''] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const keys = { authSecret, connectionKey: undefined, formerConnectionKeys: [] };
const keyring = await openKeyring(database, keys, systemClock);
startCounting();
const intake = openIntake({
  database,
  keyring,
  sources: webhookSources(connectors, {}),
  clock: systemClock,
  log: silentLog,
  metrics: metricsOff,
});

async function deliver(id: string): Promise<void> {
  await trackerIntake(intake).receive(signTracker(trackerEvent({ id }), { secret, deliveryId: id }));
  process.stdout.write(`${id}\n`);
}

for (const wave of ['a', 'b']) {
  await Promise.all(Array.from({ length: 5 }, (_, index) => deliver(`${wave}${index}`)));
  const forged = signTracker(trackerEvent(), { secret: 'guess', deliveryId: wave });
  await trackerIntake(intake)
    .receive(forged)
    .catch(() => undefined);
}
await intake.close(5_000);
await database.close();
