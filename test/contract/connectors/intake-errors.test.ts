import { join } from 'node:path';
import { expect, it } from 'vitest';
import { signTracker, trackerEvent } from '../../standins/webhook-sender.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { openTestIntake, openTestKeyring } from '../../support/http/http-server.ts';
import { killAtEachWrite } from '../../support/kill/run-killed.ts';
import { silentLog } from '../../support/silent-log.ts';
import { connectTracker } from '../../support/webhooks/connected-tracker.ts';
import { trackerIntake } from '../../support/webhooks/tracker-intake.ts';

const secret = 'the-secret-of-this-connection';
const authSecret = 'k'.repeat(40);
const program = join(import.meta.dirname, '../../support/webhooks/intake-program.ts');

describeEachDatabase('intake killed before each of its writes', (open) => {
  it('has stored every acknowledged delivery with its job, and accepts the others again', async () => {
    const prepare = async () => {
      const database = await open();
      await connectTracker(database, await openTestKeyring(database, authSecret), { secret });
      return { state: database, program: [program, JSON.stringify(database.options), authSecret, secret] };
    };
    const writes = await killAtEachWrite<TestDatabase>(prepare, async (database, { stdout }) => {
      const acknowledged = stdout.split('\n').filter(Boolean);
      const stored = await database.queries
        .selectFrom('deliveries')
        .select('delivery_key')
        .where('outcome', '=', 'accepted')
        .execute();
      const keys = stored.map(({ delivery_key }) => delivery_key);
      expect(keys).toEqual(expect.arrayContaining(acknowledged));
      // Never a delivery without its job, or the reverse.
      expect(new Set(await jobEntities(database))).toEqual(new Set(keys));

      const intake = openTestIntake(database, await openTestKeyring(database, authSecret), silentLog);
      const again = signTracker(trackerEvent({ id: 'a0' }), { secret, deliveryId: 'a0' });
      expect(await trackerIntake(intake).receive(again)).toBe(keys.includes('a0') ? 'duplicate' : 'accepted');
      await intake.close(0);
      await database.close();
    });
    expect(writes).toBeGreaterThan(10);
  });
});

async function jobEntities({ queries }: TestDatabase): Promise<string[]> {
  const rows = await queries.selectFrom('jobs').select('payload').execute();
  return rows.map(({ payload }) => (JSON.parse(payload) as { id: string }).id);
}
