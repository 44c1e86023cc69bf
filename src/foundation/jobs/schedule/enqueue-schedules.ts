import type { Database, Queries } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { enqueue } from '../enqueue.ts';
import { readQueueTime } from '../queue-time.ts';
import { lastSlot, nextSlot, type Schedule } from './schedule.ts';

/**
 * Enqueues the scheduled jobs that became due since any worker last checked. The slot is recorded in the same
 * transaction: two workers enqueue a slot once, and a killed worker loses none. Several missed slots are made up for
 * by one job, that of the last slot. A new schedule starts now. So does a schedule whose recorded slot is later than
 * its next slot: the clock was set back.
 */
export async function enqueueSchedules(
  database: Database,
  schedules: readonly Schedule[],
  clock: Clock,
): Promise<void> {
  const now = await readQueueTime(database.queries, clock);
  const known = await lastSlots(database.queries, schedules);
  for (const schedule of schedules) {
    const since = known.get(schedule.name);
    if (since === undefined) await start(database.queries, schedule, now);
    else if (since > (nextSlot(schedule, now) ?? since)) {
      await restart(database.queries, schedule, { since, now });
    } else await enqueueSlot(database, schedule, lastSlot(schedule, since, now));
  }
}

async function lastSlots(
  queries: Queries,
  schedules: readonly Schedule[],
): Promise<ReadonlyMap<string, number>> {
  const names = schedules.map(({ name }) => name);
  const rows = await queries.selectFrom('schedules').where('name', 'in', names).selectAll().execute();
  return new Map(rows.map((row) => [row.name, row.last_slot]));
}

async function start(queries: Queries, { name }: Schedule, now: number): Promise<void> {
  await queries
    .insertInto('schedules')
    .values({ name, last_slot: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Restarts a schedule now, unless another worker has done so meanwhile. */
async function restart(
  queries: Queries,
  { name }: Schedule,
  { since, now }: { readonly since: number; readonly now: number },
): Promise<void> {
  await queries
    .updateTable('schedules')
    .set({ last_slot: now })
    .where('name', '=', name)
    .where('last_slot', '=', since)
    .execute();
}

async function enqueueSlot(
  database: Database,
  { name, task, payload }: Schedule,
  slot: number | undefined,
): Promise<void> {
  if (slot === undefined) return;
  await database.transaction(async (tx) => {
    const claimed = await tx
      .updateTable('schedules')
      .set({ last_slot: slot })
      .where('name', '=', name)
      .where('last_slot', '<', slot)
      .returning('name')
      .executeTakeFirst();
    if (claimed !== undefined) await enqueue(tx, task, payload);
  });
}
