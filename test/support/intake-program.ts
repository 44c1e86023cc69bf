import { webhookReaders } from '../../src/app/webhook-sources.ts';
import { openIntake } from '../../src/features/connectors/intake/open-intake.ts';
import { trackerWebhooks } from '../../src/features/connectors/tracker/webhook.ts';
import type { DatabaseOptions } from '../../src/foundation/db/database.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { openKeyring } from '../../src/foundation/secrets/open-keyring.ts';
import { metricsOff } from '../../src/foundation/telemetry/metrics.ts';
import { signTracker, trackerEvent } from '../standins/webhook-sender.ts';
import { startCounting } from './kill-at-write.ts';
import { silentLog } from './silent-log.ts';

/**
 * Takes two waves of webhooks in, as a process of its own, to be killed. Prints a line with the id of each delivery
 * (which is that of its entity, too) once it is acknowledged. Arguments: database options as JSON, AUTH_SECRET,
 * webhook secret.
 */
const [, , options = '', authSecret = '', secret = ''] = process.argv;
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, silentLog);
const keys = { authSecret, connectionKey: undefined, formerConnectionKeys: [] };
const keyring = await openKeyring(database, keys, systemClock);
startCounting();
const tracker = { reader: trackerWebhooks, toleranceMs: 60_000, deploymentSecret: undefined };
const intake = openIntake({
  database,
  keyring,
  readers: webhookReaders,
  tracker,
  clock: systemClock,
  log: silentLog,
  metrics: metricsOff,
});

async function deliver(id: string): Promise<void> {
  await intake.tracker.receive(signTracker(trackerEvent({ id }), { secret, deliveryId: id }));
  process.stdout.write(`${id}\n`);
}

for (const wave of ['a', 'b']) {
  await Promise.all(Array.from({ length: 5 }, (_, index) => deliver(`${wave}${index}`)));
  const forged = signTracker(trackerEvent(), { secret: 'guess', deliveryId: wave });
  await intake.tracker.receive(forged).catch(() => undefined);
}
await intake.close(5_000);
await database.close();
