import { z } from 'zod';
import { defineTask } from '../../../foundation/jobs/task.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { type EntityChange, syncPriority } from '../port.ts';

const entity = { kind: z.string().min(1), id: z.string().min(1) };

const payload: z.ZodType<EntityChange> = z
  .object({
    connectionId: z.custom<ConnectionId>((value) => typeof value === 'string'),
    ...entity,
    parent: z.object(entity).optional(),
  })
  .transform(({ parent, ...change }) => ({ ...change, ...(parent !== undefined && { parent }) }));

/**
 * Fetches one entity and mirrors it as it is then. No handler is bound to it yet, that comes with the connector: its
 * jobs wait in the queue, which leaves alone what it has no handler for, and run once there is one.
 */
export const trackerSyncIncremental = defineTask({
  name: 'tracker-sync-incremental',
  payload,
  priority: syncPriority.edit,
  key: ({ connectionId, kind, id }) => `${connectionId}:${kind}:${id}`,
  lane: ({ connectionId }) => `connection:${connectionId}`,
});
