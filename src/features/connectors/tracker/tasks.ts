import { syncConfigTask, syncContentTask, syncIncrementalTask } from '../sync/tasks.ts';

/** Entities that are edited together are fetched together. */
export const trackerSyncIncremental = syncIncrementalTask('tracker', {
  key: ({ connectionId, kind, id }) => `${connectionId}:${kind}:${id}`,
  batch: 50,
});

export const trackerSyncContent = syncContentTask('tracker');
export const trackerSyncConfig = syncConfigTask('tracker');
