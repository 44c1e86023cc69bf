import { z } from 'zod';
import { payloadId } from '../../foundation/jobs/payload-id.ts';
import { defineTask } from '../../foundation/jobs/task.ts';
import type { MirrorTargetId } from '../../foundation/kernel/ids.ts';

const payload = z.object({
  targetId: payloadId<MirrorTargetId>(),
  /** True if the commit does not wait for the interval between two commits. */
  skipsInterval: z.boolean().optional(),
});
export type MirrorPayload = z.output<typeof payload>;

/**
 * Commits and pushes the pending changes of one target. At most one such job of a target runs in the whole deployment.
 */
export const mirrorCommit = defineTask({
  name: 'mirror-commit',
  payload,
  key: ({ targetId }) => targetId,
  lane: ({ targetId }) => `mirror:${targetId}`,
});
