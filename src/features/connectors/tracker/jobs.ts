import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle, handleBatch, type JobContext } from '../../../foundation/jobs/handler.ts';
import type { Task } from '../../../foundation/jobs/task.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { HostPauses } from '../assets/host-pauses.ts';
import { mirrorAssetFile } from '../assets/mirror-asset.ts';
import { mirrorAsset } from '../assets/tasks.ts';
import type { ConnectionPayload, ConnectorJobsDeps, SyncedConnection } from '../port.ts';
import { runSynced } from '../sync/run-synced.ts';
import { openAssetSource } from './asset-source.ts';
import { trackerRecords } from './kinds/records.ts';
import { createSessions, type Session } from './sync/session.ts';
import { syncContent } from './sync/sync-content.ts';
import { syncEntities } from './sync/sync-entities.ts';
import { trackerSyncContent, trackerSyncIncremental } from './tasks.ts';

/** Parts of the provider's limits that a run of everything leaves to edits. */
const contentReserve = 0.2;

interface RunOptions<Payload> {
  readonly task: Task<Payload>;
  readonly payloads: readonly Payload[];
  readonly reserve: number;
  readonly isRepeated?: boolean;
}

export function trackerJobs(deps: ConnectorJobsDeps): FeatureJobs {
  const sessions = createSessions(deps);
  const pauses = new HostPauses(deps.clock);

  /**
   * Runs jobs of one connection. The errors that stand on it end with a job that succeeds, but for teams that its scope
   * names in vain.
   */
  function run<Payload extends ConnectionPayload>(
    { reserve, ...jobs }: RunOptions<Payload>,
    context: JobContext,
    work: (session: Session) => Promise<void>,
  ): Promise<void> {
    const workWith = async (connection: SyncedConnection, refused: ReadonlySet<string>): Promise<void> => {
      const session = sessions.open(connection, { context, reserve, refused });
      await work(session);
      await deps.saveSyncError(connection.id, session.scopeError());
    };
    return runSynced(deps, { ...jobs, open: deps.open, work: workWith }, context);
  }

  return {
    handlers: [
      handleBatch(trackerSyncIncremental, (jobs, context) => {
        const payloads = jobs.map(({ payload }) => payload);
        return run({ task: trackerSyncIncremental, payloads, reserve: 0 }, context, (session) =>
          syncEntities(session, jobs),
        );
      }),
      handle(trackerSyncContent, (payload, context) => {
        const jobs = {
          task: trackerSyncContent,
          payloads: [payload],
          reserve: contentReserve,
          isRepeated: true,
        };
        return run(jobs, context, (session) => syncContent(deps, session, payload));
      }),
      handle(mirrorAsset, (payload, context) => {
        const { database, http } = deps;
        const open = (id: ConnectionId) => openAssetSource(deps, id);
        return mirrorAssetFile({ database, http, pauses, records: trackerRecords, open }, payload, context);
      }),
    ],
  };
}
