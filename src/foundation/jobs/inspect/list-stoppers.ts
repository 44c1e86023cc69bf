import type { Queries } from '../../db/database.ts';
import { maxLostAlone } from '../lease/lease.ts';
import type { JobRow } from '../tables.ts';

/** A dead job that stopped its worker. A suspect that is dead because its leases expired is none. */
export type Stopper = Pick<JobRow, 'id' | 'task' | 'key'>;

/** Returns the dead jobs that stopped their worker, oldest first. */
export async function listStoppers(queries: Queries, limit: number): Promise<readonly Stopper[]> {
  return queries
    .selectFrom('jobs')
    .select(['id', 'task', 'key'])
    .where('lost_alone', '>=', maxLostAlone)
    .where('state', '=', 'dead')
    .orderBy('id')
    .limit(limit)
    .execute();
}
