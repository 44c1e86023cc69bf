import type { Queries } from '../../../../foundation/db/database.ts';
import { readQueueTime } from '../../../../foundation/jobs/queue-time.ts';
import { deliveriesPruneSchedule as hourly } from '../../../connectors/intake/tasks.ts';
import { type DatabaseCheck, pass } from '../check.ts';
import { judgeAttendance } from './judge-attendance.ts';

/**
 * Workers leave no mark of their own in the database, but each of them attends to the schedules. One has a time every
 * hour, so this notices after an hour what the queue's check notices sooner where work waits.
 */
export const workerCheck: DatabaseCheck = {
  id: 'worker',
  title: 'Worker',
  async run({ database: { queries }, clock }) {
    const now = await readQueueTime(queries, clock);
    const [held, attended] = [await heldLeases(queries, now), await lastAttended(queries)];
    if (held > 0) return pass('One has a job in hand.', { held });
    return judgeAttendance(attended, now);
  },
};

async function heldLeases(queries: Queries, now: number): Promise<number> {
  const { held } = await queries
    .selectFrom('jobs')
    .where('state', '=', 'running')
    .where('lease_until', '>', now)
    .select(({ fn }) => fn.countAll<number>().as('held'))
    .executeTakeFirstOrThrow();
  return held;
}

async function lastAttended(queries: Queries): Promise<number | undefined> {
  const row = await queries
    .selectFrom('schedules')
    .where('name', '=', hourly.name)
    .select('last_slot')
    .executeTakeFirst();
  return row?.last_slot;
}
