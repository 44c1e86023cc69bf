import type { Queries } from '../../db/database.ts';
import type { Task } from '../task.ts';

/** The state of the queue for some tasks and one key. */
export interface KeyedJobs {
  /** True if a job is ready or running. */
  readonly pending: boolean;
  /** Highest number of attempts of a dead job; 0 if none is dead. */
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
