import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { startTracker, type Tracker } from '../../standins/tracker/tracker.ts';
import { type ExampleWorkspace, fillWorkspace } from './example-workspace.ts';
import {
  type ConfigurationParts,
  openSyncService,
  type SyncedTracker,
  type SyncService,
  syncTracker,
} from './synced-tracker.ts';

interface OpenedSync {
  readonly service: SyncService;
  readonly tracker: Tracker;
  readonly example: ExampleWorkspace;
}

/** Opens one service for the tests of a file, and a tracker with the example workspace for each of them. */
export function useSyncService() {
  let service: SyncService | undefined;
  let present: OpenedSync | undefined;

  beforeAll(async () => {
    service = await openSyncService();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    if (service === undefined) throw new Error('the service is not open');
    const tracker = await startTracker();
    present = { service, tracker, example: fillWorkspace(tracker.workspace) };
  });
  afterEach(async () => {
    const strays = present?.tracker.strays();
    await present?.tracker.close();
    expect(strays).toEqual([]);
  });

  const opened = (): OpenedSync => {
    if (present === undefined) throw new Error('no test is running');
    return present;
  };
  /** A connection that has mirrored nothing yet. */
  const connected = (parts?: ConfigurationParts): Promise<SyncedTracker> =>
    syncTracker(opened().service, opened().tracker, parts);
  /** A connection that has mirrored the workspace. */
  const mirrored = async (parts?: ConfigurationParts): Promise<SyncedTracker> => {
    const synced = await connected(parts);
    await synced.sync();
    return synced;
  };
  return { opened, connected, mirrored };
}
