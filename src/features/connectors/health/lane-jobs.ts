import type { Queries } from '../../../foundation/db/database.ts';
import type { JobRow } from '../../../foundation/jobs/tables.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { configurationLane, connectionOfLane, syncLane, syncPriority } from '../sync/tasks.ts';

/** A failure of a job of a connection. */
export interface JobError {
  readonly lane: string;
  readonly code: 'job_failed' | 'job_retried';
  readonly message: string;
  readonly at: number;
}

/** Returns the lanes of the jobs that read the provider or the configuration of a connection. */
export function lanesOf(id: ConnectionId): readonly string[] {
  return [syncLane, configurationLane].map((laneOf) => laneOf({ connectionId: id }));
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

/** Lists the failures of jobs, newest first, at most `max` for each connection and state. */
export async function listJobErrors(
  queries: Queries,
  ids: readonly ConnectionId[],
  max: number,
): Promise<readonly JobError[]> {
  const lanes = ids.flatMap(lanesOf);
  const failures: JobError[] = [];
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
      failures.push({ lane, code: state === 'dead' ? 'job_failed' : 'job_retried', message, at });
    }
  }
  return failures;
}
