import type { Queries } from '../db/database.ts';
import type { Task } from './task.ts';

/** Takes dead jobs of a task and key out of the table, once a later one has done their work or failed in their place. */
export async function forgetDeadJobs(tx: Queries, { name }: Pick<Task, 'name'>, key: string): Promise<void> {
  await tx
    .deleteFrom('jobs')
    .where('state', '=', 'dead')
    .where('task', '=', name)
    .where('key', '=', key)
    .execute();
}
