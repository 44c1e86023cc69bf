import type { Queries } from '../db/database.ts';
import type { Logger } from '../telemetry/logger.ts';

/**
 * Says once of each task that waits in the table and that this program does not know, as after a downgrade.
 * Its jobs are left for a program that does. Returns the names said so far.
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
  for (const { task } of rows) log.warn({ task }, 'jobs of an unknown task are left alone');
  return [...reported, ...rows.map(({ task }) => task)];
}
