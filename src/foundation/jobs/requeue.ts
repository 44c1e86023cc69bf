import type { ExpressionBuilder, RawBuilder } from 'kysely';
import type { Queries } from '../db/database.ts';
import { announce } from '../db/dialect.ts';
import type { JobRow, Tables } from '../db/tables.ts';
import { jobsChannel, readyWithKey } from './enqueue.ts';

/** What a job that runs again is put back with. */
export interface Requeue {
  readonly runAt: RawBuilder<number>;
  readonly attempts: number;
  readonly lastError: string | null;
}

/**
 * Puts a job taken out of the table back as a waiting one. A twin that was enqueued in the meantime stands for both:
 * it takes over the wait and the attempts, or else steady edits would keep a failing job alive for ever.
 */
export async function requeue(
  tx: Queries,
  row: JobRow,
  { runAt, attempts, lastError }: Requeue,
): Promise<void> {
  await tx
    .insertInto('jobs')
    .values({ ...row, ...waiting, run_at: runAt, attempts, last_error: lastError })
    .onConflict((conflict) =>
      conflict
        .columns(['task', 'key'])
        .where(readyWithKey)
        .doUpdateSet((eb) => ({
          priority: greater(eb, 'priority'),
          run_at: greater(eb, 'run_at'),
          attempts: greater(eb, 'attempts'),
          last_error: eb.ref('excluded.last_error'),
        })),
    )
    .execute();
  await announce(tx, jobsChannel);
}

const waiting = { state: 'ready', lease_token: null, lease_until: null } as const;

type Upsert = ExpressionBuilder<Tables & { excluded: JobRow }, 'jobs' | 'excluded'>;

function greater(eb: Upsert, column: 'priority' | 'run_at' | 'attempts') {
  const [mine, theirs] = [eb.ref(`jobs.${column}`), eb.ref(`excluded.${column}`)];
  return eb.case().when(theirs, '>', mine).then(theirs).else(mine).end();
}
