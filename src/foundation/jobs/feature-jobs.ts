import type { BoundTask } from './handler.ts';
import type { Schedule } from './schedule/schedule.ts';
import type { Task } from './task.ts';

/** The background work of one feature. `app` passes it to the worker without knowing any of its tasks. */
export interface FeatureJobs {
  readonly handlers: readonly BoundTask[];
  /** Default: none. */
  readonly schedules?: readonly Schedule[];
  /** Declared tasks that no handler of this version runs: their jobs wait in the queue. Default: none. */
  readonly unhandled?: readonly Pick<Task, 'name'>[];
  /** Default: nothing to reconcile. */
  readonly reconciler?: Reconciler;
}

/** Brings the state of one feature back in line with its jobs after a kill, a lost job or a repaired failure. */
export interface Reconciler {
  /** Name of the reconciled things, in the plural, for log messages. */
  readonly subject: string;
  /** Runs once before the worker takes its first job. An error fails the start of the worker. */
  prepare(): Promise<void>;
  /** Runs at intervals until the worker stops, which aborts `signal`. An error is logged; the next run tries again. */
  reconcile(signal: AbortSignal): Promise<void>;
}
