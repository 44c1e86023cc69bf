import { sql } from 'kysely';
import type { Queries } from '../../db/database.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Clock } from '../../kernel/clock.ts';
import { priorities } from '../claim/priorities.ts';
import { queueNow } from '../queue-time.ts';

/** The size and the delay of the queue. */
export interface QueueStatus {
  /** Number of ready jobs, including those that are scheduled for later. */
  readonly ready: number;
  readonly running: number;
  readonly dead: number;
  /**
   * Time since the oldest due job became due, in milliseconds, even if its lane is busy or its task unknown; 0 if
   * none is due.
   */
  readonly oldestDueMs: number;
}

export async function queueStatus(queries: Queries, clock: Clock): Promise<QueueStatus> {
  const states = await queries
    .selectFrom('jobs')
    .select(({ fn }) => ['state', fn.countAll<number>().as('jobs')])
    .groupBy('state')
    .execute();
  const now = queueNow(dialectOf(queries), clock);
  const { rows } = await sql<{ waited: number | null }>`
    with recursive ${priorities}
    select ${now} - min((
      select j.run_at from jobs j where j.state = 'ready' and j.priority = walk.priority order by j.run_at limit 1
    )) as waited from walk where walk.priority is not null`.execute(queries);
  const count = (wanted: string): number => states.find(({ state }) => state === wanted)?.jobs ?? 0;
  return {
    ready: count('ready'),
    running: count('running'),
    dead: count('dead'),
    oldestDueMs: Math.max(0, rows[0]?.waited ?? 0),
  };
}
