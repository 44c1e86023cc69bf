import type { Queries } from '../../db/database.ts';

/** A worker process that runs, or was killed during the last day. Times are in milliseconds since the epoch. */
export interface SeenWorker {
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  /** Time of its last heartbeat. */
  readonly seenAt: number;
}

/** Returns the workers of the deployment, the one with the newest heartbeat first. */
export async function listWorkers(queries: Queries): Promise<readonly SeenWorker[]> {
  return queries
    .selectFrom('workers')
    .select(['host', 'pid', 'version', 'started_at as startedAt', 'seen_at as seenAt'])
    .orderBy('seen_at', 'desc')
    .orderBy('id')
    .execute();
}
