import type { JobContext } from '../../../../foundation/jobs/handler.ts';
import type { Task } from '../../../../foundation/jobs/task.ts';
import { settleSyncError } from '../../entities/settle-sync-error.ts';
import type { ConnectionPayload, ConnectorJobsDeps } from '../../port.ts';
import type { Session, Sessions } from './session.ts';

/** The run of jobs of one connection. */
export interface SyncedRun<Payload extends ConnectionPayload> {
  readonly task: Task<Payload>;
  readonly payloads: readonly Payload[];
  readonly reserve: number;
}

/**
 * Runs `work` with the connection of the jobs. They end without an effect if it was removed or disconnected, also while
 * they run. While the provider limits requests for longer, the jobs go back to the queue until it allows them; that
 * does not count as an attempt. Other errors stand on the connection until a job succeeds.
 */
export async function runSynced<Payload extends ConnectionPayload>(
  deps: ConnectorJobsDeps,
  sessions: Sessions,
  { task, payloads, reserve }: SyncedRun<Payload>,
  context: JobContext,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const id = payloads[0]?.connectionId;
  const connection = id && (await deps.open(id));
  if (id === undefined || connection === undefined) return;
  const { signal } = context;
  try {
    await work(sessions.open(connection, { signal, reserve }));
    await deps.saveSyncError(id, undefined);
  } catch (error) {
    const isOpen = async () => (await deps.open(id)) !== undefined;
    const run = { connectionId: id, provider: 'the tracker', task, payloads, isOpen };
    await settleSyncError(deps, run, context, error);
  }
}
