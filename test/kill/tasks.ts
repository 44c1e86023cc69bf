import { z } from 'zod';
import { defineTask } from '../../src/foundation/jobs/task.ts';

/** `n` tells jobs apart, `ms` is how long one takes; of `edit`, `version` says which edit of its `entity` it is. */
const payload = z.object({
  n: z.number(),
  ms: z.number(),
  lane: z.string(),
  /** The first run of this job fails. */
  fails: z.boolean(),
  entity: z.string().optional(),
  version: z.number().optional(),
});

export type Work = z.infer<typeof payload>;

const lane = (work: Work): string => work.lane;

/** One job a run. */
export const single = defineTask({ name: 'kill-single', payload, lane });
/** Jobs that wait together in a lane run together. */
export const batch = defineTask({ name: 'kill-batch', payload, lane, batch: 20 });
/** Edits of one entity that wait become one. */
export const edit = defineTask({ name: 'kill-edit', payload, lane, key: ({ entity }) => entity ?? '' });
