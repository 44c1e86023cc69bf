import type { RawBuilder } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { requeue } from './enqueue.ts';
import { queueNow } from './queue-time.ts';

/** In one transaction; the rest waits for the next round. */
const maxRows = 100;

const workerGone = 'The worker stopped without ending this job.';

/**
 * Takes jobs back whose lease ran out: their worker was killed or hangs. They run again at once, or are dead when
 * that was their last attempt. Their lanes need nothing, an expired lane is free. Returns how many it took.
 */
export async function reapExpiredLeases(database: Database, clock: Clock): Promise<number> {
  const before = queueNow(database.dialect, clock);
  // A look without a write lock: nearly always there is nothing to do.
  if ((await expired(database.queries, before).limit(1).executeTakeFirst()) === undefined) return 0;
  return database.transaction(async (tx) => {
    const now = queueNow(database.dialect, clock);
    const query = expired(tx, now).limit(maxRows);
    const rows = await (database.dialect === 'postgres' ? query.forUpdate().skipLocked() : query).execute();
    for (const row of rows) {
      if (row.attempts >= row.max_attempts) {
        await tx
          .updateTable('jobs')
          .set({ state: 'dead', lease_token: null, lease_until: null, last_error: workerGone })
          .where('id', '=', row.id)
          .execute();
      } else {
        await tx.deleteFrom('jobs').where('id', '=', row.id).execute();
        await requeue(tx, row, { runAt: now, attempts: row.attempts, lastError: workerGone });
      }
    }
    return rows.length;
  });
}

function expired(queries: Queries, now: RawBuilder<number>) {
  return queries
    .selectFrom('jobs')
    .where('state', '=', 'running')
    .where('lease_until', '<=', now)
    .orderBy('lease_until')
    .selectAll();
}
