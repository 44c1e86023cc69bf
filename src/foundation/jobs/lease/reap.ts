import type { RawBuilder } from 'kysely';
import type { Database, Queries } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { queueNow } from '../queue-time.ts';
import type { JobRow } from '../tables.ts';
import { requeue } from './requeue.ts';

/** Maximum number of jobs in one transaction; the rest are handled in the next round. */
const maxRows = 100;

const workerStopped = 'The worker stopped before this job ended.';

const databaseSilent = 'The database did not respond, so the worker gave this job back.';

/**
 * Takes back jobs whose lease has expired because their worker was killed or hangs, except those of the leases `held`
 * by this worker. They are suspects: one of them may be what stopped the worker, so each runs alone next. That run is
 * no further attempt, because most of them are innocent. A suspect whose lease expires again becomes dead after its
 * last attempt. Their lanes are released as well: after an interrupted renewal, or between its two statements, a lane's
 * lease can end later than its job's lease, and nothing would check the lane at that time. Returns the number of jobs
 * taken back.
 */
export async function reapExpiredLeases(
  database: Database,
  clock: Clock,
  held: readonly string[] = [],
): Promise<number> {
  const before = queueNow(database.dialect, clock);
  // Check without the write lock first: there is nearly always nothing to do.
  if ((await expired(database.queries, before, held).limit(1).executeTakeFirst()) === undefined) return 0;
  return database.transaction(async (tx) => {
    const now = queueNow(database.dialect, clock);
    const rows = await locked(database, expired(tx, now, held).limit(maxRows));
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

/**
 * Gives back the jobs of leases that a living worker could not renew in time. That is no attempt and makes no job a
 * suspect. Leases that another worker took back are left alone.
 */
export async function giveBackLeases(
  database: Database,
  clock: Clock,
  tokens: readonly string[],
): Promise<void> {
  await database.transaction(async (tx) => {
    const now = queueNow(database.dialect, clock);
    const query = leased(tx).where('lease_token', 'in', tokens);
    const rows = await locked(database, query);
    for (const row of rows) {
      await tx.deleteFrom('jobs').where('id', '=', row.id).execute();
      const { attempts, lost_alone: lostAlone } = row;
      await requeue(tx, row, { runAt: now, attempts: attempts - 1, lastError: databaseSilent, lostAlone });
    }
    await releaseLanes(tx, rows);
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

function expired(queries: Queries, now: RawBuilder<number>, held: readonly string[]) {
  const query = leased(queries).where('lease_until', '<=', now).orderBy('lease_until');
  return held.length === 0 ? query : query.where('lease_token', 'not in', held);
}

function leased(queries: Queries) {
  return queries.selectFrom('jobs').where('state', '=', 'running').selectAll();
}

/** Reads rows that no other transaction has locked, and locks them. */
function locked({ dialect }: Database, query: ReturnType<typeof leased>): Promise<JobRow[]> {
  return (dialect === 'postgres' ? query.forUpdate().skipLocked() : query).execute();
}
