import { z } from 'zod';
import { problemRecord } from '../../../../foundation/kernel/wire/problem-record.ts';

/** The members of a problem (RFC 9457) that the caller uses. */
export const problemBody = problemRecord.pick({ status: true, code: true, detail: true, errors: true });

export type ProblemBody = z.output<typeof problemBody>;

/** An error after the response has started, when the status is already sent. `retryAfter` is in seconds. */
export const problemLine = z.object({
  problem: problemBody.extend({ retryAfter: z.number().optional() }),
});
