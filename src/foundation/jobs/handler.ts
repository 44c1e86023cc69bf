import { InvalidInput } from '../kernel/errors.ts';
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
  /** @throws InvalidInput for a payload that does not fit the task. */
  run(payload: unknown, context: JobContext): Promise<void>;
}

/** Binds a handler to a declared task; done in `app` only. The payload is parsed before the handler sees it. */
export function handle<Payload>(
  task: Task<Payload>,
  handler: (payload: Payload, context: JobContext) => Promise<void>,
): BoundTask {
  return {
    task: task as Task,
    run: (payload, context) => handler(readPayload(task, payload), context),
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
