import { z } from 'zod';

/** The format of every error response (RFC 9457; contract section 3). */
export const problemRecord = z
  .object({
    type: z.string().describe('Always `about:blank`; `code` identifies the problem.'),
    title: z.string().describe('The reason phrase of the status code.'),
    status: z.int(),
    detail: z.string().optional().describe('For people: what was wrong and what to do next.'),
    code: z.string().describe('For programs.'),
    requestId: z.string().describe('Identifies this request in the log; also sent as X-Request-Id.'),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe(
        'The invalid fields of the request; `path` is the name of the field, such as `limit` or `source`.',
      ),
  })
  .meta({ id: 'Problem' });

export type ProblemRecord = z.output<typeof problemRecord>;
