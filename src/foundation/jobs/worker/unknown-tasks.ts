import type { Queries } from '../../db/database.ts';
import type { Logger } from '../../telemetry/logger.ts';

/**
 * Logs each task that has ready jobs but is unknown to this program, once, for example after a downgrade. Its jobs
 * stay in the table for a version that knows the task. Returns the names logged so far.
 */
export async function reportUnknownTasks(
  queries: Queries,
  known: readonly string[],
  reported: readonly string[],
  log: Logger,
): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('jobs')
    .where('state', '=', 'ready')
    .where('task', 'not in', [...known, ...reported])
    .select('task')
    .distinct()
    .execute();
  for (const { task } of rows) log.warn({ task }, 'jobs of an unknown task are skipped');
  return [...reported, ...rows.map(({ task }) => task)];
}
