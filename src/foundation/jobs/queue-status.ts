import type { Queries } from '../db/database.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Clock } from '../kernel/clock.ts';
import { queueNow } from './queue-time.ts';

/** How much waits, and for how long. */
export interface QueueStatus {
  /** Those that wait for their time included. */
  readonly ready: number;
  readonly running: number;
  readonly dead: number;
  /** How long the oldest job that is due has been waiting, in milliseconds; 0 when none is due. */
  readonly oldestDueMs: number;
}

export async function queueStatus(queries: Queries, clock: Clock): Promise<QueueStatus> {
  const states = await queries
    .selectFrom('jobs')
    .select(({ fn }) => ['state', fn.countAll<number>().as('jobs')])
    .groupBy('state')
    .execute();
  const now = queueNow(dialectOf(queries), clock);
  const oldest = await queries
    .selectFrom('jobs')
    .where('state', '=', 'ready')
    .select(({ fn }) => [fn.min('run_at').as('runAt'), now.as('now')])
    .executeTakeFirst();
  const count = (wanted: string): number => states.find(({ state }) => state === wanted)?.jobs ?? 0;
  return {
    ready: count('ready'),
    running: count('running'),
    dead: count('dead'),
    oldestDueMs: waited(oldest?.runAt, oldest?.now),
  };
}

/** `min` of no rows is null, whatever the type of the column says. */
function waited(runAt: number | null | undefined, now: number | undefined): number {
  return Math.max(0, (now ?? 0) - (runAt ?? now ?? 0));
}
