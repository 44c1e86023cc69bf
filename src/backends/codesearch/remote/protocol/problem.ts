import { z } from 'zod';

/** RFC 9457, as far as the other side acts on it. */
export const problemBody = z.object({
  status: z.int(),
  code: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

export type ProblemBody = z.output<typeof problemBody>;

/** A failure after the answer has begun: no status can tell of it any more. `retryAfter` in seconds. */
export const problemLine = z.object({
  problem: problemBody.extend({ retryAfter: z.number().optional() }),
});
