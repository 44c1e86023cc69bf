import type { ConnectionPayload } from '../port.ts';

/** Priorities of jobs in the lane of one connection: current edits run before a backfill. */
export const syncPriority = { edit: 30, backfill: 10 } as const;

const syncPrefix = 'connection:';

/** Returns the lane of the jobs that read the provider of a connection: they change what is mirrored one at a time. */
export function syncLane({ connectionId }: ConnectionPayload): string {
  return `${syncPrefix}${connectionId}`;
}

/** Returns the connection of a lane that `syncLane` returned. */
export function connectionOfLane(lane: string): string {
  return lane.slice(syncPrefix.length);
}

/** Returns the lane of the jobs that read the configuration of a connection. */
export function configurationLane({ connectionId }: ConnectionPayload): string {
  return `configuration:${connectionId}`;
}
