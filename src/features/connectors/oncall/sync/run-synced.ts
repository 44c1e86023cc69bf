import type { JobContext } from '../../../../foundation/jobs/handler.ts';
import type { Task } from '../../../../foundation/jobs/task.ts';
import { settleSyncError } from '../../entities/settle-sync-error.ts';
import type { AuthorizedConnection, ConnectionPayload, ConnectorJobsDeps } from '../../port.ts';

/**
 * Runs `work` with the connection of a job. It ends without an effect if the connection was removed or disconnected,
 * also while it runs. While the provider limits requests, the job goes back to the queue; that does not count as an
 * attempt. An error that lasts stands on the connection until a comparison ends with its last step (`subscribe`).
 */
export async function runSynced<Payload extends ConnectionPayload, Opened extends AuthorizedConnection>(
  deps: ConnectorJobsDeps,
  task: Task<Payload>,
  payload: Payload,
  context: JobContext,
  {
    open,
    work,
  }: {
    readonly open: (id: Payload['connectionId']) => Promise<Opened | undefined>;
    readonly work: (connection: Opened) => Promise<void>;
  },
): Promise<void> {
  const id = payload.connectionId;
  const connection = await open(id);
  if (connection === undefined) return;
  try {
    await work(connection);
  } catch (error) {
    const isOpen = async () => (await open(id)) !== undefined;
    const run = { connectionId: id, provider: 'the oncall provider', task, payloads: [payload], isOpen };
    await settleSyncError(deps, run, context, error);
  }
}
