import type { ExpressionBuilder, RawBuilder } from 'kysely';
import type { Queries } from '../../db/database.ts';
import { announce } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { jobsChannel, readyWithKey } from '../enqueue.ts';
import type { JobRow } from '../tables.ts';

/** The values with which a job is put back into the queue. */
export interface Requeue {
  readonly runAt: RawBuilder<number>;
  readonly attempts: number;
  readonly lastError: string | null;
}

/**
 * Inserts a job that was taken out of the table as a ready job. If a job with the same key was enqueued meanwhile,
 * that job replaces both: it takes over the back-off and the attempts. Otherwise frequent edits would keep a failing
 * job alive for ever.
 */
export async function requeue(
  tx: Queries,
  row: JobRow,
  { runAt, attempts, lastError }: Requeue,
): Promise<void> {
  await tx
    .insertInto('jobs')
    .values({ ...row, ...ready, run_at: runAt, attempts, last_error: lastError })
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

const ready = { state: 'ready', lease_token: null, lease_until: null } as const;

type Upsert = ExpressionBuilder<Tables & { excluded: JobRow }, 'jobs' | 'excluded'>;

function greater(eb: Upsert, column: 'priority' | 'run_at' | 'attempts') {
  const [current, requeued] = [eb.ref(`jobs.${column}`), eb.ref(`excluded.${column}`)];
  return eb.case().when(requeued, '>', current).then(requeued).else(current).end();
}
