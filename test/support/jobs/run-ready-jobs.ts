import type { BoundTask, JobContext } from '../../../src/foundation/jobs/handler.ts';
import type { TestDatabase } from '../database/databases.ts';
import { jobContext } from './job-context.ts';

/**
 * Runs ready jobs in the order of the queue, batches together, until none is due. Jobs of other tasks stay. Faster than
 * a worker, which waits for leases and polls. Returns the names of the tasks that ran.
 */
export async function runReadyJobs(
  { queries }: TestDatabase,
  handlers: readonly BoundTask[],
  context: Partial<JobContext> = {},
): Promise<readonly string[]> {
  const ran: string[] = [];
  for (;;) {
    const ready = await queries
      .selectFrom('jobs')
      .select(['id', 'task', 'lane', 'payload'])
      .where('state', '=', 'ready')
      .where('run_at', '<=', Date.now())
      .where(
        'task',
        'in',
        handlers.map(({ task }) => task.name),
      )
      .orderBy('priority', 'desc')
      .orderBy('run_at')
      .orderBy('id')
      .execute();
    const [first] = ready;
    const bound = handlers.find(({ task }) => task.name === first?.task);
    if (first === undefined || bound === undefined) return ran;
    const batch = ready
      .filter(({ task, lane }) => task === first.task && lane === first.lane)
      .slice(0, bound.task.batch ?? 1);
    const ids = batch.map(({ id }) => id);
    // A job that is enqueued while these run must not be merged into one of them.
    await queries.updateTable('jobs').set({ state: 'running' }).where('id', 'in', ids).execute();
    const payloads = batch.map(({ id, payload }) => ({ id, payload: JSON.parse(payload) as unknown }));
    try {
      await bound.run(payloads, jobContext(context));
    } finally {
      await queries.deleteFrom('jobs').where('id', 'in', ids).execute();
    }
    ran.push(bound.task.name);
  }
}
