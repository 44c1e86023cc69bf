import { z } from 'zod';
import { symbolKindName } from './search-record.ts';

/** The definition of a name. */
export const symbolRecord = z.object({
  name: z.string(),
  kind: symbolKindName,
  /** Repository name. */
  repository: z.string(),
  path: z.string(),
  /** 1-based. */
  line: z.int(),
  /** The line that defines the name. */
  text: z.string(),
  language: z.string(),
  commit: z.string(),
});
