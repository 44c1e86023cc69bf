import type { Queries } from '../db/database.ts';
import type { JobRow } from '../db/tables.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../kernel/page.ts';

/** A job as an operator sees it; without its payload, which may name what is none of theirs. */
export interface JobListing extends Pick<JobRow, 'id' | 'task' | 'state' | 'attempts'> {
  readonly lastError: string | null;
  /** Due at, ms since the epoch; of a dead one, when its last run was due. */
  readonly runAt: number;
}

export interface JobFilter extends PageRequest {
  /** Every state when absent. */
  readonly state?: JobRow['state'] | undefined;
  readonly task?: string | undefined;
}

/** One page, oldest first. @throws InvalidInput for a bad limit or cursor. */
export async function listJobs(queries: Queries, filter: JobFilter): Promise<Page<JobListing>> {
  const { limit, after } = startAfter(filter);
  let query = queries
    .selectFrom('jobs')
    .select(['id', 'task', 'state', 'attempts', 'last_error as lastError', 'run_at as runAt'])
    .orderBy('id')
    .limit(limit + 1);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.task !== undefined) query = query.where('task', '=', filter.task);
  if (after !== undefined) query = query.where('id', '>', after);
  return pageOf(await query.execute(), limit);
}
