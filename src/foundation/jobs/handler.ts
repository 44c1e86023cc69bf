import type { Queries } from '../db/database.ts';
import { InvalidInput } from '../kernel/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Task } from './task.ts';

/** What a handler is given beside the payload. */
export interface JobContext {
  /** Aborted when the lease is lost or the worker stops: stop at once, no effects after it. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** 1 for the first run; of a batch, that of its job with the most. */
  readonly attempt: number;
  /** Of a batch, that of its job with the fewest. */
  readonly maxAttempts: number;
  /** Fencing number of the lane: it rises whenever the lane is taken. `undefined` without a lane. */
  readonly fence: number | undefined;
  /**
   * Called in the transaction that records an effect, and before an effect outside the database. Until that
   * transaction ends, nobody else can take the job or its lane.
   * @throws LeaseLost when this run no longer holds its jobs, its lane and its fence: let it pass.
   */
  assertHeld(tx: Queries): Promise<void>;
}

/** One job of a batch. */
export interface BatchJob<Payload> {
  readonly id: string;
  readonly payload: Payload;
}

/** A task with the code that does it. */
export interface BoundTask {
  readonly task: Task;
  /** Takes one job, or as many as the task's `batch`. @throws InvalidInput for a payload that does not fit the task. */
  run(jobs: readonly BatchJob<unknown>[], context: JobContext): Promise<void>;
}

/** Binds a handler to a declared task; done in `app` only. The payload is parsed before the handler sees it. */
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
 * Binds a handler that does several jobs at once: those of one lane that wait together, at most `task.batch`. When it
 * fails, it is called once more for each job alone, so that one bad job does not sink the others.
 * @internal The first tasks that take batches come with the connectors.
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

/** A payload of another version of the program, or an edited row: no further run can read it either. */
function readPayload<Payload>(task: Task<Payload>, payload: unknown): Payload {
  const parsed = task.payload.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new InvalidInput('The payload of this job does not fit its task: discard it.', {
    cause: parsed.error,
  });
}
