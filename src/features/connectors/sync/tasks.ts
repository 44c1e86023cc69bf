import { z } from 'zod';
import { payloadId } from '../../../foundation/jobs/payload-id.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { ConnectionPayload, SyncTasks } from '../port.ts';

/**
 * Priorities of jobs in the lane of one connection: current edits run first, and what a branch has lost is read again
 * before a backfill goes on, which may take hours.
 */
export const syncPriority = { edit: 30, restore: 20, backfill: 10 } as const;

/** Returns the lane of the jobs that read the provider of a connection: they change what is mirrored one at a time. */
export function syncLane({ connectionId }: ConnectionPayload): string {
  return `connection:${connectionId}`;
}

/** Returns the lane of the jobs that read the configuration of a connection. */
export function configurationLane({ connectionId }: ConnectionPayload): string {
  return `configuration:${connectionId}`;
}

/** Returns the connection of such a lane. */
export function connectionOfLane(lane: string): string {
  return lane.slice(lane.indexOf(':') + 1);
}

const connectionId = payloadId<ConnectionId>();
const entity = { kind: z.string().min(1), id: z.string().min(1) };

/** The shape of the payload of a task of one connection. */
export const connectionPayload: z.ZodType<ConnectionPayload> = z.object({ connectionId });

/**
 * Declares the tasks of a kind. `batch`: the number of edits that are fetched together, by default one.
 * `isKeyedByParent`: edits of one entity with different parents are different jobs, because the parent of an entity
 * that is not mirrored is known from nothing else.
 */
export function syncTasks(
  kind: string,
  { batch, isKeyedByParent }: { readonly batch?: number; readonly isKeyedByParent?: true } = {},
): SyncTasks {
  return {
    config: defineTask({
      name: `${kind}-sync-config`,
      payload: connectionPayload,
      priority: syncPriority.edit,
      maxAttempts: 3,
      key: (payload) => payload.connectionId,
      lane: configurationLane,
    }),
    content: defineTask({
      name: `${kind}-sync-content`,
      payload: z.object({ connectionId, full: z.boolean() }),
      priority: syncPriority.backfill,
      slots: 'bulk',
      key: ({ connectionId: id, full }) => `${id}:${full ? 'full' : 'next'}`,
      lane: syncLane,
    }),
    incremental: defineTask({
      name: `${kind}-sync-incremental`,
      payload: z.object({ connectionId, ...entity, parent: z.object(entity).optional() }),
      priority: syncPriority.edit,
      lane: syncLane,
      key: ({ connectionId: of, kind: what, id, parent }) =>
        [of, what, id, ...(isKeyedByParent ? [parent?.id ?? ''] : [])].join(':'),
      ...(batch !== undefined && { batch }),
    }),
  };
}
