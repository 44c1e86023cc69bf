import type { Queries } from '../db/database.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Clock } from '../kernel/clock.ts';
import { queueNow } from './queue-time.ts';

/** The queue's present as a value, ms since the epoch, for times that are compared with it. */
export async function readQueueTime(queries: Queries, clock: Clock): Promise<number> {
  const { now } = await queries
    .selectNoFrom(queueNow(dialectOf(queries), clock).as('now'))
    .executeTakeFirstOrThrow();
  return now;
}
