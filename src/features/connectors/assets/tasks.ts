import { z } from 'zod';
import { payloadId } from '../../../foundation/jobs/payload-id.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { ConnectionPayload } from '../port.ts';

/** One asset of an entity. */
export interface AssetPayload extends ConnectionPayload {
  /** The kind and id of the entity. */
  readonly kind: string;
  readonly id: string;
  readonly urlHash: string;
}

const payload: z.ZodType<AssetPayload> = z.object({
  connectionId: payloadId<ConnectionId>(),
  kind: z.string(),
  id: z.string(),
  urlHash: z.string(),
});

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
