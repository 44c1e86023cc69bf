import type { Queries } from '../db/database.ts';
import type { Task } from './task.ts';

/** What the queue holds of some tasks for one key. */
export interface KeyedJobs {
  /** One waits or runs. */
  readonly pending: boolean;
  /** Most runs that a dead one had; 0 when none is dead. */
  readonly deadAfter: number;
}

export async function keyedJobs(
  queries: Queries,
  tasks: readonly Pick<Task, 'name'>[],
  key: string,
): Promise<KeyedJobs> {
  const names = tasks.map(({ name }) => name);
  const jobs = await queries
    .selectFrom('jobs')
    .where('key', '=', key)
    .where('task', 'in', names)
    .select(['state', 'attempts'])
    .execute();
  const dead = jobs.filter(({ state }) => state === 'dead');
  return {
    pending: dead.length < jobs.length,
    deadAfter: Math.max(0, ...dead.map(({ attempts }) => attempts)),
  };
}
