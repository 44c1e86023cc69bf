import { z } from 'zod';
import { payloadId } from '../../../foundation/jobs/payload-id.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';

/** One asset of an entity. */
const payload = z.object({
  connectionId: payloadId<ConnectionId>(),
  /** The kind and id of the entity. */
  kind: z.string(),
  id: z.string(),
  urlHash: z.string(),
});
export type AssetPayload = z.output<typeof payload>;

/**
 * Fetches one asset and mirrors it. Those of one connection are fetched one at a time: those of an entity have a
 * maximum size together, and hosts that do not answer then hold at most one slot.
 */
export const mirrorAsset = defineTask({
  name: 'mirror-asset',
  payload,
  // Below first clones and all other bulk work, because whoever writes a text chooses what is fetched.
  priority: -8,
  slots: 'bulk',
  maxAttempts: 4,
  key: ({ connectionId, kind, id, urlHash }) => `${connectionId}:${kind}:${id}:${urlHash}`,
  lane: ({ connectionId }) => `assets:${connectionId}`,
});
