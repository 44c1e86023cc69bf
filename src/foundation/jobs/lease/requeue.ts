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
  /** The new value of `lost_alone`. */
  readonly lostAlone: number | null;
}

/**
 * Inserts a job that was taken out of the table as a ready job. If a job with the same key was enqueued meanwhile,
 * that job replaces both: it takes over the back-off, the attempts and the suspicion. Otherwise frequent edits would
 * keep a failing job alive for ever.
 */
export async function requeue(
  tx: Queries,
  row: JobRow,
  { runAt, attempts, lastError, lostAlone }: Requeue,
): Promise<void> {
  await tx
    .insertInto('jobs')
    .values({ ...row, ...ready, run_at: runAt, attempts, last_error: lastError, lost_alone: lostAlone })
    .onConflict((conflict) =>
      conflict
        .columns(['task', 'key'])
        .where(readyWithKey)
        .doUpdateSet((eb) => ({
          priority: greater(eb, 'priority'),
          run_at: greater(eb, 'run_at'),
          attempts: greater(eb, 'attempts'),
          last_error: eb.ref('excluded.last_error'),
          lost_alone: mostLost(eb),
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

function mostLost(eb: Upsert) {
  const [current, requeued] = [eb.ref('jobs.lost_alone'), eb.ref('excluded.lost_alone')];
  const isMore = eb.or([eb(current, 'is', null), eb(requeued, '>', current)]);
  return eb.case().when(isMore).then(requeued).else(current).end();
}
