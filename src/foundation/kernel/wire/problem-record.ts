import { z } from 'zod';
import type { JsonPointer } from './json-pointer.ts';

const pointer = z
  .string()
  .meta({ format: 'json-pointer', examples: ['/repositories/0/source'] })
  .describe(
    'The place of the invalid field, as a JSON pointer (RFC 6901) into the body, or into the parameters of the ' +
      'query: `/source`, `/limit`. Empty for the whole body or query.',
  ) as z.ZodType<JsonPointer>;

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
      .array(z.object({ path: pointer, message: z.string() }))
      .optional()
      .describe('The invalid fields of the request.'),
  })
  .meta({ id: 'Problem' });

export type ProblemRecord = z.output<typeof problemRecord>;
