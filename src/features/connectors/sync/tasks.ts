import { z } from 'zod';
import { payloadId } from '../../../foundation/jobs/payload-id.ts';
import { defineTask, type Task } from '../../../foundation/jobs/task.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { ConnectionPayload, EntityChange, SyncRequest } from '../port.ts';
import { configurationLane, syncLane, syncPriority } from './lanes.ts';

const connectionId = payloadId<ConnectionId>();
const entity = { kind: z.string().min(1), id: z.string().min(1) };

/** The shape of the payload of a task of one connection. */
export const connectionPayload: z.ZodType<ConnectionPayload> = z.object({ connectionId });

const entityChange: z.ZodType<EntityChange> = z
  .object({ connectionId, ...entity, parent: z.object(entity).optional() })
  .transform(({ parent, ...change }) => ({ ...change, ...(parent !== undefined && { parent }) }));

const syncRequest: z.ZodType<SyncRequest> = z.object({ connectionId, full: z.boolean() });

/**
 * Declares the task that reads the configuration of a connection from its branch. It has a lane of its own, so that a
 * backfill does not delay it.
 */
export function syncConfigTask(kind: string): Task<ConnectionPayload> {
  return defineTask({
    name: `${kind}-sync-config`,
    payload: connectionPayload,
    priority: syncPriority.edit,
    maxAttempts: 3,
    key: (payload) => payload.connectionId,
    lane: configurationLane,
  });
}

/** Declares the task that fetches the present state of entities and mirrors it. */
export function syncIncrementalTask(
  kind: string,
  options: { readonly key: (change: EntityChange) => string; readonly batch?: number },
): Task<EntityChange> {
  const name = `${kind}-sync-incremental`;
  return defineTask({ name, payload: entityChange, priority: syncPriority.edit, lane: syncLane, ...options });
}

/**
 * Declares the task that compares the provider with the mirrored files, a page in each job. A request for a full run has
 * a key of its own, so that the next step of another run does not replace it.
 */
export function syncContentTask(kind: string): Task<SyncRequest> {
  return defineTask({
    name: `${kind}-sync-content`,
    payload: syncRequest,
    priority: syncPriority.backfill,
    slots: 'bulk',
    key: ({ connectionId: id, full }) => `${id}:${full ? 'full' : 'next'}`,
    lane: syncLane,
  });
}
