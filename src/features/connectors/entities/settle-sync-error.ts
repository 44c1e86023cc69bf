import { enqueueAll } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { readQueueTime } from '../../../foundation/jobs/queue-time.ts';
import { isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import type { Task } from '../../../foundation/jobs/task.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';
import { OrgctxError, RateLimited } from '../../../foundation/kernel/errors.ts';
import type { ConnectionPayload, ConnectorJobsDeps } from '../port.ts';

/** The failed jobs of one connection. */
export interface FailedRun<Payload extends ConnectionPayload> {
  readonly connectionId: Payload['connectionId'];
  /** Name of the provider for the log. */
  readonly provider: string;
  readonly task: Task<Payload>;
  readonly payloads: readonly Payload[];
  /** Returns whether the connection can still be used. */
  isOpen(): Promise<boolean>;
}

/**
 * Settles an error of jobs that read from a provider. While the provider limits requests, the jobs go back to the queue
 * until it allows them; that does not count as an attempt. They end without an effect if the connection was removed or
 * disconnected meanwhile. A permanent error stands on the connection.
 * @throws the error, if the jobs failed
 */
export async function settleSyncError<Payload extends ConnectionPayload>(
  deps: ConnectorJobsDeps,
  { connectionId, provider, task, payloads, isOpen }: FailedRun<Payload>,
  context: JobContext,
  error: unknown,
): Promise<void> {
  if (context.signal.aborted || !(error instanceof OrgctxError)) throw error;
  if (error instanceof RateLimited) {
    const { retryAfter } = error;
    context.log.info({ connectionId, seconds: retryAfter }, `${provider} limits requests`);
    await deps.database.transaction(async (tx) => {
      await context.assertHeld(tx);
      const runAt = (await readQueueTime(tx, systemClock)) + retryAfter * 1_000;
      await enqueueAll(tx, task, payloads, { runAt });
    });
    return;
  }
  if (!(await isOpen())) {
    context.log.warn({ err: error, connectionId }, 'the connection ended while a job ran');
    return;
  }
  if (isPermanent(error)) {
    const { code, message } = error;
    await deps.saveSyncError(connectionId, { code, message });
  }
  throw error;
}
