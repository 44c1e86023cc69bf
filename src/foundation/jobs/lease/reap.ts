import type { RawBuilder } from 'kysely';
import type { Database, Queries } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { queueNow } from '../queue-time.ts';
import type { JobRow } from '../tables.ts';
import { requeue } from './requeue.ts';

/** Maximum number of jobs in one transaction; the rest are handled in the next round. */
const maxRows = 100;

const workerStopped = 'The worker stopped before this job ended.';

/**
 * Takes back jobs whose lease has expired because their worker was killed or hangs. They are suspects: one of them may
 * be what stopped the worker, so each runs alone next. That run is no further attempt, because most of them are
 * innocent. A suspect whose lease expires again becomes dead after its last attempt. Their lanes are released as well:
 * after an interrupted renewal, or between its two statements, a lane's lease can end later than its job's lease, and
 * nothing would check the lane at that time.
 * Returns the number of jobs taken back.
 */
export async function reapExpiredLeases(database: Database, clock: Clock): Promise<number> {
  const before = queueNow(database.dialect, clock);
  // Check without the write lock first: there is nearly always nothing to do.
  if ((await expired(database.queries, before).limit(1).executeTakeFirst()) === undefined) return 0;
  return database.transaction(async (tx) => {
    const now = queueNow(database.dialect, clock);
    const query = expired(tx, now).limit(maxRows);
    const rows = await (database.dialect === 'postgres' ? query.forUpdate().skipLocked() : query).execute();
    for (const row of rows) {
      const isSuspect = row.lost_alone !== null;
      if (isSuspect && row.attempts >= row.max_attempts) {
        await tx
          .updateTable('jobs')
          .set({
            state: 'dead',
            run_at: now,
            lease_token: null,
            lease_until: null,
            last_error: workerStopped,
          })
          .where('id', '=', row.id)
          .execute();
      } else {
        await tx.deleteFrom('jobs').where('id', '=', row.id).execute();
        const attempts = isSuspect ? row.attempts : row.attempts - 1;
        const lostAlone = row.lost_alone ?? 0;
        await requeue(tx, row, { runAt: now, attempts, lastError: workerStopped, lostAlone });
      }
    }
    await releaseLanes(tx, rows);
    return rows.length;
  });
}

async function releaseLanes(tx: Queries, rows: readonly JobRow[]): Promise<void> {
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
