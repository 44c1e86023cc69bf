import type { Queries } from '../../db/database.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../kernel/wire/page.ts';
import type { JobRow } from '../tables.ts';

/** A job as shown to an operator. The payload is omitted, because it may name data that the operator must not see. */
export interface JobListing extends Pick<JobRow, 'id' | 'task' | 'state' | 'attempts'> {
  readonly lastError: string | null;
  /** Due time, in milliseconds since the epoch. For a dead job: the due time of its last run. */
  readonly runAt: number;
}

export interface JobFilter extends PageRequest {
  /** Default: every state. */
  readonly state?: JobRow['state'] | undefined;
  readonly task?: string | undefined;
}

/** Returns one page of jobs, oldest first. @throws InvalidInput for an invalid limit or cursor. */
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
