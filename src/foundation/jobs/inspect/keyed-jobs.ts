import type { Queries } from '../../db/database.ts';
import type { Task } from '../task.ts';

/** The state of the queue for some tasks and one key. */
export interface KeyedJobs {
  /** True if a job is ready or running. */
  readonly pending: boolean;
  /** Highest number of attempts of a dead job; 0 if none is dead. */
  readonly deadAfter: number;
  /**
   * Why a job was given up that stopped its worker; `undefined` if there is none. Reconcilers enqueue its key only if
   * its input has changed since.
   */
  readonly stopped: string | undefined;
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
    stopped: dead.find(({ lost_alone }) => lost_alone !== null)?.last_error ?? undefined,
  };
}

/** Returns whether a job of the task and key was given up because it stopped its worker. */
export async function stopsWorker(queries: Queries, task: Pick<Task, 'name'>, key: string): Promise<boolean> {
  return (await keyedJobs(queries, [task], key)).stopped !== undefined;
}
