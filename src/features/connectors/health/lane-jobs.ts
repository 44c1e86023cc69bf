import type { Queries } from '../../../foundation/db/database.ts';
import type { JobRow } from '../../../foundation/jobs/tables.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { configurationLane, connectionOfLane, syncLane, syncPriority } from '../sync/tasks.ts';

/** A failure of the work of a connection. */
export interface ReportedError {
  /** `job_failed` if it was given up, `job_retried` if it runs again; otherwise that of a refused push or of a note. */
  readonly code: string;
  /** Message for people. */
  readonly message: string;
  /** Time of the failed run, or of the next one, in milliseconds since the epoch. */
  readonly at: number;
  /** Time at which the work is tried again by itself; `undefined` if it was given up. */
  readonly retryAt?: number | undefined;
}

/** Counts jobs by connection: those of edits that wait or run, or those that were given up. */
export async function countJobs(
  queries: Queries,
  ids: readonly ConnectionId[],
  which: 'edits' | 'dead',
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const states = which === 'dead' ? (['dead'] as const) : (['ready', 'running'] as const);
  // One query per state, because each state has an index of its own.
  for (const state of states) {
    let query = queries
      .selectFrom('jobs')
      .where('state', '=', state)
      .where(
        'lane',
        'in',
        ids.map((connectionId) => syncLane({ connectionId })),
      )
      .groupBy('lane')
      .select((e) => ['lane', e.fn.countAll<number>().as('count')]);
    if (which === 'edits') query = query.where('priority', '=', syncPriority.edit);
    for (const { lane, count } of await query.execute()) {
      const id = connectionOfLane(lane ?? '');
      counts.set(id, (counts.get(id) ?? 0) + count);
    }
  }
  return counts;
}

/** Lists the failures of jobs by connection, at most `max` newest ones for each connection and state. */
export async function listJobErrors(
  queries: Queries,
  ids: readonly ConnectionId[],
  max: number,
): Promise<ReadonlyMap<string, readonly ReportedError[]>> {
  const lanes = ids.flatMap((connectionId) => [
    syncLane({ connectionId }),
    configurationLane({ connectionId }),
  ]);
  const failures: (ReportedError & { readonly id: string })[] = [];
  const states: readonly JobRow['state'][] = ['dead', 'running', 'ready'];
  for (const state of states) {
    const rows = await queries
      .selectFrom('jobs')
      .select(['lane', 'last_error', 'run_at'])
      .where('state', '=', state)
      .where('lane', 'in', lanes)
      .where('last_error', 'is not', null)
      .orderBy('run_at', 'desc')
      .limit(max * ids.length)
      .execute();
    for (const { lane, last_error: message, run_at: at } of rows) {
      if (lane === null || message === null) continue;
      const kind = state === 'dead' ? { code: 'job_failed' } : { code: 'job_retried', retryAt: at };
      failures.push({ id: connectionOfLane(lane), message, at, ...kind });
    }
  }
  return Map.groupBy(failures, ({ id }) => id);
}
