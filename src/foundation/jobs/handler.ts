import type { Logger } from '../telemetry/logger.ts';
import type { Task } from './task.ts';

/** What a handler is given beside the payload. */
export interface JobContext {
  /** Aborted when the lease is lost or the worker stops: stop at once, no effects after it. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** 1 for the first run. */
  readonly attempt: number;
  readonly maxAttempts: number;
}

/** A task with the code that does it. */
export interface BoundTask {
  readonly task: Task;
  run(payload: unknown, context: JobContext): Promise<void>;
}

/** Binds a handler to a declared task; done in `app` only. The payload is parsed before the handler sees it. */
export function handle<Payload>(
  task: Task<Payload>,
  handler: (payload: Payload, context: JobContext) => Promise<void>,
): BoundTask {
  return {
    task: task as Task,
    run: (payload, context) => handler(task.payload.parse(payload), context),
  };
}
