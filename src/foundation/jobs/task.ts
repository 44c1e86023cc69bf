import type { z } from 'zod';

/**
 * A declared kind of work. Anyone may enqueue it; only the worker, where `app` binds a handler to it, runs it.
 * Payloads hold ids: the handler reads the present state, so running twice is harmless and coalescing is safe.
 */
export interface Task<Payload = unknown> {
  /** Kebab-case, unique, stored in the row and shown to operators. */
  readonly name: string;
  readonly payload: z.ZodType<Payload>;
  /** Runs before the job is dead. */
  readonly maxAttempts: number;
  /** Higher first. */
  readonly priority: number;
  /** Ready jobs of one task and key become one. */
  readonly key?: (payload: Payload) => string;
  /** Jobs of one lane run one at a time, whatever their task. */
  readonly lane?: (payload: Payload) => string;
  /** Jobs that one run takes at most, 2 to 100, all of one lane (or all without one); absent, one. */
  readonly batch?: number;
}

export type TaskOptions<Payload> = Pick<Task<Payload>, 'name' | 'payload' | 'key' | 'lane' | 'batch'> &
  Partial<Pick<Task<Payload>, 'maxAttempts' | 'priority'>>;

/** Of one lease: what a batch has at most. */
const largestBatch = 100;

/** Declares a task. 12 attempts and priority 0 unless it says otherwise. */
export function defineTask<Payload>(options: TaskOptions<Payload>): Task<Payload> {
  const { name, batch } = options;
  if (batch !== undefined && !(batch >= 2 && batch <= largestBatch)) {
    throw new Error(`Task ${name}: a batch has 2 to ${largestBatch} jobs.`);
  }
  return { maxAttempts: 12, priority: 0, ...options };
}
