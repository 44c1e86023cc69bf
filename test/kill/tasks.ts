import { z } from 'zod';
import { defineTask } from '../../src/foundation/jobs/task.ts';

/** `n` identifies the job and `ms` is its duration; `version` is the number of an `edit` of its `entity`. */
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

/** Runs one job at a time. */
export const single = defineTask({ name: 'kill-single', payload, lane });
/** Runs the pending jobs of a lane in batches. */
export const batch = defineTask({ name: 'kill-batch', payload, lane, batch: 20 });
/** Pending edits of one entity coalesce into one job. */
export const edit = defineTask({ name: 'kill-edit', payload, lane, key: ({ entity }) => entity ?? '' });
