import { z } from 'zod';
import { defineTask } from '../../../foundation/jobs/task.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { type EntityChange, type SyncRequest, syncConfigOptions, syncPriority } from '../port.ts';

const entity = { kind: z.string().min(1), id: z.string().min(1) };

const payload: z.ZodType<EntityChange> = z
  .object({
    connectionId: z.custom<ConnectionId>((value) => typeof value === 'string'),
    ...entity,
    parent: z.object(entity).optional(),
  })
  .transform(({ parent, ...change }) => ({ ...change, ...(parent !== undefined && { parent }) }));

const lane = ({ connectionId }: { readonly connectionId: ConnectionId }): string =>
  `connection:${connectionId}`;

/** Fetches the present state of entities and mirrors it. Entities that are edited together are fetched together. */
export const trackerSyncIncremental = defineTask({
  name: 'tracker-sync-incremental',
  payload,
  priority: syncPriority.edit,
  key: ({ connectionId, kind, id }) => `${connectionId}:${kind}:${id}`,
  lane,
  batch: 50,
});

const syncRequest: z.ZodType<SyncRequest> = z.object({
  connectionId: z.custom<ConnectionId>((value) => typeof value === 'string'),
  full: z.boolean(),
});

/**
 * Compares the tracker with the mirrored files, a page in each job. A request for a full run has a key of its own, so
 * that the next step of another run does not replace it.
 */
export const trackerSyncContent = defineTask({
  name: 'tracker-sync-content',
  payload: syncRequest,
  priority: syncPriority.backfill,
  slots: 'bulk',
  key: ({ connectionId, full }) => `${connectionId}:${full ? 'full' : 'next'}`,
  lane,
});

/** Reads the configuration of a connection from its branch. */
export const trackerSyncConfig = defineTask(syncConfigOptions('tracker'));
