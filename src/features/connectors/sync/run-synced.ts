import { enqueueAll } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { readQueueTime } from '../../../foundation/jobs/queue-time.ts';
import { isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import type { Task } from '../../../foundation/jobs/task.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';
import { OrgctxError, RateLimited } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { AuthorizedConnection, ConnectionPayload, ConnectorJobsDeps } from '../port.ts';

/** Jobs of one connection that run together. */
export interface SyncedRun<Payload extends ConnectionPayload, Opened extends AuthorizedConnection> {
  readonly task: Task<Payload>;
  readonly payloads: readonly Payload[];
  /** Returns the connection; `undefined` if it cannot be used. */
  open(id: ConnectionId): Promise<Opened | undefined>;
  work(connection: Opened): Promise<void>;
}

/**
 * Runs `work` with the connection of the jobs. They end without an effect if it was removed or disconnected, also while
 * they run. While the provider limits requests, the jobs go back to the queue until it allows them; that does not count
 * as an attempt. A permanent error stands on the connection.
 */
export async function runSynced<Payload extends ConnectionPayload, Opened extends AuthorizedConnection>(
  deps: ConnectorJobsDeps,
  { task, payloads, open, work }: SyncedRun<Payload, Opened>,
  context: JobContext,
): Promise<void> {
  const connectionId = payloads[0]?.connectionId;
  const connection = connectionId && (await open(connectionId));
  if (connectionId === undefined || connection === undefined) return;
  try {
    await work(connection);
  } catch (error) {
    if (context.signal.aborted || !(error instanceof OrgctxError)) throw error;
    if (error instanceof RateLimited) return putBack(deps, task, payloads, error, context);
    if ((await open(connectionId)) === undefined) {
      context.log.warn({ err: error, connectionId }, 'the connection ended while a job ran');
      return;
    }
    const { code, message } = error;
    if (isPermanent(error)) await deps.saveSyncError(connectionId, { code, message });
    throw error;
  }
}

async function putBack<Payload extends ConnectionPayload>(
  { database }: ConnectorJobsDeps,
  task: Task<Payload>,
  payloads: readonly Payload[],
  { retryAfter }: RateLimited,
  context: JobContext,
): Promise<void> {
  context.log.info({ task: task.name, seconds: retryAfter }, 'the provider limits requests');
  await database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const runAt = (await readQueueTime(tx, systemClock)) + retryAfter * 1_000;
    await enqueueAll(tx, task, payloads, { runAt });
  });
}
