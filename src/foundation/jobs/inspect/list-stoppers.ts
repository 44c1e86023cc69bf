import type { Queries } from '../../db/database.ts';
import type { JobRow } from '../tables.ts';

/** A dead job that stopped its worker. */
export type Stopper = Pick<JobRow, 'id' | 'task' | 'key'>;

/** Returns the dead jobs that stopped their worker, oldest first. */
export async function listStoppers(queries: Queries, limit: number): Promise<readonly Stopper[]> {
  return queries
    .selectFrom('jobs')
    .select(['id', 'task', 'key'])
    .where('lost_alone', 'is not', null)
    .where('state', '=', 'dead')
    .orderBy('id')
    .limit(limit)
    .execute();
}
