import type { Queries } from '../db/database.ts';
import { InvalidInput } from '../kernel/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Task } from './task.ts';

/** The context that a handler receives besides the payload. */
export interface JobContext {
  /**
   * Aborted when the lease is lost or the worker stops. The handler must then stop at once, without further effects.
   */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Number of the attempt, from 1; in a batch, the highest of its jobs. */
  readonly attempt: number;
  /** Maximum number of attempts; in a batch, the lowest of its jobs. */
  readonly maxAttempts: number;
  /** Fencing number of the lane, which increases whenever the lane is taken. `undefined` without a lane. */
  readonly fence: number | undefined;
  /**
   * Verifies that this run still holds its lease. Call it in the transaction that records an effect, and before an
   * effect outside the database. No other worker can take the job or its lane until that transaction ends.
   * @throws LeaseLost when this run no longer holds its jobs, its lane and its fence. Do not catch it.
   */
  assertHeld(tx: Queries): Promise<void>;
}

/** One job of a batch. */
export interface BatchJob<Payload> {
  readonly id: string;
  readonly payload: Payload;
}

/** A task with its handler. */
export interface BoundTask {
  readonly task: Task;
  /** Runs one job, or up to `task.batch` jobs. @throws InvalidInput for a payload that does not match the task. */
  run(jobs: readonly BatchJob<unknown>[], context: JobContext): Promise<void>;
}

/**
 * Binds a handler to a declared task. Only the `jobs.ts` of a feature does so. The payload is parsed before the handler
 * is called.
 */
export function handle<Payload>(
  task: Task<Payload>,
  handler: (payload: Payload, context: JobContext) => Promise<void>,
): BoundTask {
  if (task.batch !== undefined) throw new Error(`Task ${task.name} takes batches: bind it with handleBatch.`);
  return handleBatch(task, async (jobs, context) => {
    for (const { payload } of jobs) await handler(payload, context);
  });
}

/**
 * Binds a handler that processes several jobs at once: pending jobs of one lane, at most `task.batch`. If it fails,
 * it is called once more for each job separately, so that one bad job does not fail the others.
 */
export function handleBatch<Payload>(
  task: Task<Payload>,
  handler: (jobs: readonly BatchJob<Payload>[], context: JobContext) => Promise<void>,
): BoundTask {
  return {
    task: task as Task,
    run: (jobs, context) =>
      handler(
        jobs.map(({ id, payload }) => ({ id, payload: readPayload(task, payload) })),
        context,
      ),
  };
}

/**
 * Parses the payload of a job. A mismatch is permanent: the payload is from another version of the program, or the
 * row was edited.
 */
function readPayload<Payload>(task: Task<Payload>, payload: unknown): Payload {
  const parsed = task.payload.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new InvalidInput('The payload of this job does not match its task. Discard the job.', {
    cause: parsed.error,
  });
}
