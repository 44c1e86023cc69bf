import type { Queries } from '../../db/database.ts';
import { maxLostAlone } from '../lease/lease.ts';
import type { Task } from '../task.ts';

/** The state of the queue for some tasks and one key. */
export interface KeyedJobs {
  /** True if a job is ready or running. */
  readonly pending: boolean;
  /** Highest number of attempts of a dead job; 0 if none is dead. */
  readonly deadAfter: number;
  /**
   * The error of a stopper, a dead job that stopped its worker; `undefined` if there is none. Reconcilers enqueue its
   * key only if its input has changed since.
   */
  readonly stopReason: string | undefined;
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
    .select(['state', 'attempts', 'lost_alone', 'last_error'])
    .execute();
  const dead = jobs.filter(({ state }) => state === 'dead');
  return {
    pending: dead.length < jobs.length,
    deadAfter: Math.max(0, ...dead.map(({ attempts }) => attempts)),
    stopReason: dead.find(({ lost_alone }) => (lost_alone ?? 0) >= maxLostAlone)?.last_error ?? undefined,
  };
}

/** Returns whether a dead job of the task and key is a stopper. */
export async function hasStopper(queries: Queries, task: Pick<Task, 'name'>, key: string): Promise<boolean> {
  return (await keyedJobs(queries, [task], key)).stopReason !== undefined;
}
