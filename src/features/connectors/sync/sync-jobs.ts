import { type BoundTask, handle, handleBatch, type JobContext } from '../../../foundation/jobs/handler.ts';
import type { Task } from '../../../foundation/jobs/task.ts';
import type { ConnectionPayload, ConnectorJobsDeps } from '../port.ts';
import { compare } from './compare.ts';
import { runSynced } from './run-synced.ts';
import type { SyncReader, SyncSource } from './source.ts';
import { syncEntities } from './sync-entities.ts';

/** Returns the handlers of the tasks that mirror the content of a provider. */
export function syncHandlers(
  deps: ConnectorJobsDeps,
  { tasks, records, open }: SyncSource,
): readonly BoundTask[] {
  const { database } = deps;

  function run<Payload extends ConnectionPayload>(
    task: Task<Payload>,
    payloads: readonly Payload[],
    context: JobContext,
    work: (reader: SyncReader) => Promise<void>,
  ): Promise<void> {
    const isComparison = task.name === tasks.content.name;
    const jobs = { task, payloads, isRepeated: isComparison, open: deps.open };
    return runSynced(
      deps,
      {
        ...jobs,
        async work(connection, refused) {
          const { id: connectionId, targetId } = connection;
          const mirror = { database, connectionId, targetId, records, context };
          const reader = open({ connection, mirror, context, refused, isComparison });
          await work(reader);
          if (reader.scopeError !== undefined) await deps.saveSyncError(connectionId, reader.scopeError());
        },
      },
      context,
    );
  }

  return [
    handleBatch(tasks.incremental, (jobs, context) => {
      const edits = jobs.map(({ payload }) => payload);
      return run(tasks.incremental, edits, context, (reader) => syncEntities(tasks, reader, edits));
    }),
    handle(tasks.content, (payload, context) =>
      run(tasks.content, [payload], context, (reader) => compare(deps, tasks, reader, payload.full)),
    ),
  ];
}
