import type { RawBuilder } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import type { JobRow } from '../db/tables.ts';
import type { Clock } from '../kernel/clock.ts';
import { queueNow } from './queue-time.ts';
import { requeue } from './requeue.ts';

/** In one transaction; the rest waits for the next round. */
const maxRows = 100;

const workerGone = 'The worker stopped without ending this job.';

/**
 * Takes jobs back whose lease ran out: their worker was killed or hangs. They run again at once, or are dead when
 * that was their last attempt. Their lanes are freed with them: a renewal that a kill cut short, or two statements of
 * one, may have left the lane a later end than its job, and nobody would look at the lane again when that comes.
 * Returns how many it took.
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
    await freeLanes(tx, rows);
    return rows.length;
  });
}

async function freeLanes(tx: Queries, rows: readonly JobRow[]): Promise<void> {
  const tokens = rows.flatMap(({ lane, lease_token }) => (lane === null ? [] : (lease_token ?? [])));
  if (tokens.length === 0) return;
  await tx
    .updateTable('lanes')
    .set({ lease_token: null, lease_until: null })
    .where('lease_token', 'in', tokens)
    .execute();
}

function expired(queries: Queries, now: RawBuilder<number>) {
  return queries
    .selectFrom('jobs')
    .where('state', '=', 'running')
    .where('lease_until', '<=', now)
    .orderBy('lease_until')
    .selectAll();
}
