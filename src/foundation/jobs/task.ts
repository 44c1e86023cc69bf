import type { z } from 'zod';

/**
 * The classes of a worker's slots. Each class has its own slots, so that work of one never waits for that of another:
 * `interactive` is what people wait for (pushes, edits, commits), `bulk` takes minutes or hours (first clones,
 * backfills), and `derived` can be computed again at any time (compaction). `graph` (the knowledge graph) can be
 * computed again too, but organizations wait for it.
 */
export const slotClasses = ['interactive', 'bulk', 'derived', 'graph'] as const;
export type SlotClass = (typeof slotClasses)[number];

/**
 * A declared kind of job. Any module may enqueue it; only the worker runs it, with the handler that a feature binds to
 * it. Payloads hold ids: the handler reads the current state, so running twice is harmless and coalescing is safe.
 */
export interface Task<Payload = unknown> {
  /** Kebab-case and unique. Stored in the row and shown to operators. */
  readonly name: string;
  readonly payload: z.ZodType<Payload>;
  /** Number of attempts before the job is dead. */
  readonly maxAttempts: number;
  /** Jobs with a higher priority run first. */
  readonly priority: number;
  /** The slots in which its jobs run. */
  readonly slots: SlotClass;
  /** Ready jobs with the same task and key are merged into one. */
  readonly key?: (payload: Payload) => string;
  /** Jobs of one lane run one at a time, also those of different tasks. */
  readonly lane?: (payload: Payload) => string;
  /** Maximum number of jobs per run, 2 to 100, all of one lane (or all without one). Default: 1. */
  readonly batch?: number;
}

export type TaskOptions<Payload> = Pick<Task<Payload>, 'name' | 'payload' | 'key' | 'lane' | 'batch'> &
  Partial<Pick<Task<Payload>, 'maxAttempts' | 'priority' | 'slots'>>;

/** Maximum number of jobs in a batch, and so under one lease. */
const maxBatchSize = 100;

/** Declares a task. Defaults: 12 attempts, priority 0, interactive slots. */
export function defineTask<Payload>(options: TaskOptions<Payload>): Task<Payload> {
  const { name, batch } = options;
  if (batch !== undefined && !(batch >= 2 && batch <= maxBatchSize)) {
    throw new Error(`Task ${name}: \`batch\` must be from 2 to ${maxBatchSize}.`);
  }
  return { maxAttempts: 12, priority: 0, slots: 'interactive', ...options };
}
